/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.c - makes what is measured happen, and takes the times
 *
 *   driver routes NETNS-PATH COUNT          adds so many routes to the interface e0, and deletes
 * them driver add-routes NETNS-PATH COUNT      only adds them driver connect NETNS-PATH
 * HOST-NETNS-PATH COUNT connects an interface as Docker does, so many times; prints for each how
 * many ns after the last event the runtime's first instruction ran driver start COUNT COMMAND...
 * prints how many ns it took from before vfork(2) until the command wrote a line to its descriptor
 * 9
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READY_FD 9

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_ms(long ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static struct mnl_socket *open_in(const char *netns, int *netns_fd)
{
	struct mnl_socket *socket;
	int fd = open(netns, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
		fail(netns);
	socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0)
		fail("netlink");
	if (netns_fd)
		*netns_fd = fd;
	return socket;
}

/* --- messages -------------------------------------------------------------------------------- */

struct message {
	_Alignas(struct nlmsghdr) char buffer[1024];
};

static struct nlmsghdr *begin(struct message *message, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(message->buffer);

	header->nlmsg_type = type;
	header->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	return header;
}

static struct ifinfomsg *put_link(struct nlmsghdr *header, int index, unsigned int flags)
{
	struct ifinfomsg *link = mnl_nlmsg_put_extra_header(header, sizeof(*link));

	link->ifi_index = index;
	link->ifi_flags = flags;
	link->ifi_change = flags;
	return link;
}

static void put_route(struct nlmsghdr *header, uint32_t dest, unsigned char prefix_len,
		      const char *gateway)
{
	struct rtmsg *route = mnl_nlmsg_put_extra_header(header, sizeof(*route));

	*route = (struct rtmsg){
		.rtm_family = AF_INET,
		.rtm_dst_len = prefix_len,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_type = RTN_UNICAST,
		.rtm_scope = RT_SCOPE_UNIVERSE,
	};
	if (prefix_len > 0)
		mnl_attr_put_u32(header, RTA_DST, htonl(dest));
	mnl_attr_put_u32(header, RTA_GATEWAY, inet_addr(gateway));
}

/* Returns when the kernel has done it: its events are queued by then. */
static void ask(struct mnl_socket *socket, struct nlmsghdr *header, const char *what)
{
	char answer[8192];
	ssize_t size;

	header->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(socket, header, header->nlmsg_len) < 0)
		fail(what);
	size = mnl_socket_recvfrom(socket, answer, sizeof(answer));
	if (size < 0 || mnl_cb_run(answer, (size_t)size, 0, 0, NULL, NULL) < 0)
		fail(what);
}

/* --- routes ---------------------------------------------------------------------------------- */

#define BATCH 32

/* Many in one datagram; what a batch has failed at shows in the number of routes only. */
static void change_routes(struct mnl_socket *socket, uint16_t type, uint16_t flags, uint32_t count)
{
	static struct message message;
	static char batch[BATCH * sizeof(message)];
	uint32_t first = ntohl(inet_addr("10.128.0.0"));
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct nlmsghdr *header = begin(&message, type, flags);

		put_route(header, first + i, 32, "10.0.0.1");
		memcpy(batch + size, header, header->nlmsg_len);
		size += header->nlmsg_len;
		if ((i % BATCH == BATCH - 1 || i == count - 1)) {
			if (mnl_socket_sendto(socket, batch, size) < 0)
				fail("route");
			size = 0;
		}
	}
}

static int routes(char **args, bool deletes)
{
	struct mnl_socket *socket = open_in(args[0], NULL);
	uint32_t count = (uint32_t)atoi(args[1]);

	change_routes(socket, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, count);
	if (deletes)
		change_routes(socket, RTM_DELROUTE, 0, count);
	return 0;
}

/* --- connect --------------------------------------------------------------------------------- */

static void create_pair(struct mnl_socket *host)
{
	struct message message;
	struct nlmsghdr *header = begin(&message, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info, *data, *peer;

	put_link(header, 4241,
		 IFF_UP); /* without one of its own the peer would not get its either */
	mnl_attr_put_strz(header, IFLA_IFNAME, "vethhost");
	info = mnl_attr_nest_start(header, IFLA_LINKINFO);
	mnl_attr_put_strz(header, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(header, VETH_INFO_PEER);
	put_link(header, 4242, 0);
	mnl_attr_put_strz(header, IFLA_IFNAME, "vethguest");
	mnl_attr_nest_end(header, peer);
	mnl_attr_nest_end(header, data);
	mnl_attr_nest_end(header, info);
	ask(host, header, "create");
}

static void change_link(struct mnl_socket *socket, unsigned int flags, const char *name,
			const unsigned char *mac, int netns)
{
	struct message message;
	struct nlmsghdr *header = begin(&message, RTM_NEWLINK, 0);

	put_link(header, 4242, flags);
	if (name)
		mnl_attr_put_strz(header, IFLA_IFNAME, name);
	if (mac)
		mnl_attr_put(header, IFLA_ADDRESS, 6, mac);
	if (netns >= 0)
		mnl_attr_put_u32(header, IFLA_NET_NS_FD, (uint32_t)netns);
	ask(socket, header, "change");
}

static void add_address(struct mnl_socket *socket)
{
	struct message message;
	struct nlmsghdr *header = begin(&message, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	struct ifaddrmsg *address = mnl_nlmsg_put_extra_header(header, sizeof(*address));

	*address =
		(struct ifaddrmsg){.ifa_family = AF_INET, .ifa_prefixlen = 16, .ifa_index = 4242};
	mnl_attr_put_u32(header, IFA_LOCAL, inet_addr("172.29.0.2"));
	mnl_attr_put_u32(header, IFA_ADDRESS, inet_addr("172.29.0.2"));
	ask(socket, header, "address");
}

static void delete_pair(struct mnl_socket *host)
{
	struct message message;
	struct nlmsghdr *header = begin(&message, RTM_DELLINK, 0);

	put_link(header, 0, 0);
	mnl_attr_put_strz(header, IFLA_IFNAME, "vethhost");
	ask(host, header, "delete");
}

/* The order of libnetwork. Returns when the last request was answered. */
static int64_t connect_once(struct mnl_socket *host, struct mnl_socket *guest, int netns)
{
	static const unsigned char mac[6] = {2, 0x42, 172, 29, 0, 2};
	struct message message;
	struct nlmsghdr *header;

	create_pair(host);
	change_link(host, 0, NULL, NULL, netns);
	change_link(guest, 0, "eth1", NULL, -1);
	change_link(guest, 0, NULL, mac, -1);
	add_address(guest);
	change_link(guest, IFF_UP, NULL, NULL, -1);
	header = begin(&message, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
	put_route(header, 0, 0, "172.29.0.1");
	ask(guest, header, "route");
	return now_ns();
}

static int connect_often(char **args)
{
	int netns = -1;
	struct mnl_socket *host = open_in(args[1], NULL);
	struct mnl_socket *guest = open_in(args[0], &netns);

	for (int i = atoi(args[2]); i > 0; i--) {
		int64_t last, end;
		struct timespec stamp;
		int fd = open(STAMPS, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0)
			fail(STAMPS);
		last = connect_once(host, guest, netns);
		end = last + 20000000000;
		while (pread(fd, &stamp, sizeof(stamp), 0) != sizeof(stamp)) {
			if (now_ns() > end) {
				fprintf(stderr, "no call within 20 s\n");
				return 1;
			}
			sleep_ms(2);
		}
		printf("%lld\n",
		       (long long)((int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec - last));
		close(fd);
		sleep_ms(150);
		delete_pair(host);
		sleep_ms(250);
	}
	return 0;
}

/* --- start ----------------------------------------------------------------------------------- */

/* Starts the command with @ready_fd as its descriptor 9. */
static pid_t launch(char **command, int ready_fd)
{
	pid_t pid =
		vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as cheap as can be */

	if (pid == 0) {
		/* NOLINTBEGIN(clang-analyzer-unix.Vfork): nothing but system calls */
		dup2(ready_fd, READY_FD);
		execvp(command[0], command);
		_exit(127);
		/* NOLINTEND(clang-analyzer-unix.Vfork) */
	}
	return pid;
}

static void start_once(char **command)
{
	int ends[2];
	char byte;
	int64_t before;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	before = now_ns();
	pid = launch(command, ends[1]);
	close(ends[1]);
	if (pid < 0 || read(ends[0], &byte, 1) != 1)
		fail(command[0]);
	printf("%lld\n", (long long)(now_ns() - before));
	close(ends[0]);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

static int start_often(char **args)
{
	for (int i = atoi(args[0]); i > 0; i--)
		start_once(args + 1);
	return 0;
}

/* Its own size counts until execvp(3), and so it had better be small: a script's would hide ours.
 */
static int print_peak(char **command)
{
	struct rusage usage;
	int status = 0;
	pid_t pid = launch(command, STDERR_FILENO);

	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		fail(command[0]);
	fprintf(stderr, "%ld\n", usage.ru_maxrss);
	return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 3 ? argv[1] : "";

	if (strcmp(verb, "routes") == 0)
		return routes(argv + 2, true);
	if (strcmp(verb, "add-routes") == 0)
		return routes(argv + 2, false);
	if (strcmp(verb, "connect") == 0 && argc == 5)
		return connect_often(argv + 2);
	if (strcmp(verb, "start") == 0)
		return start_often(argv + 2);
	if (strcmp(verb, "peak") == 0)
		return print_peak(argv + 2);
	fprintf(stderr, "usage: see driver.c\n");
	return 2;
}
