/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_settle.c - when to look, by a clock that the test moves
 */
#include "scene.h"
#include "settle.h"

#define QUIET	 60
#define MAX_WAIT 1000

static struct settle fresh(void)
{
	struct settle settle;

	settle_init(&settle, QUIET, MAX_WAIT);
	return settle;
}

static void test_nothing(void **state)
{
	struct settle settle = fresh();

	(void)state;
	assert_int_equal(settle_due(&settle), SETTLE_NEVER);
	settle_done(&settle, 5000, 0);
	assert_int_equal(settle_due(&settle), SETTLE_NEVER);
}

static void test_quiet(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_hint(&settle, 100, false);
	assert_int_equal(settle_due(&settle), 100 + QUIET);
	settle_hint(&settle, 150, false);
	assert_int_equal(settle_due(&settle), 150 + QUIET);
	settle_done(&settle, 210, 0);
	assert_int_equal(settle_due(&settle), SETTLE_NEVER);
}

static void test_max_wait(void **state)
{
	struct settle settle = fresh();

	(void)state;
	for (uint64_t now = 100; now <= 1090; now += 10)
		settle_hint(&settle, now, false);
	assert_int_equal(settle_due(&settle), 100 + MAX_WAIT);
	/* The next burst begins anew. */
	settle_done(&settle, 1100, 0);
	settle_hint(&settle, 1110, false);
	assert_int_equal(settle_due(&settle), 1110 + QUIET);
}

static void test_loss(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_hint(&settle, 100, true);
	settle_done(&settle, 160, 0);
	assert_int_equal(settle_due(&settle), 1100);
	/* A dump before that does not answer it, one after that does. */
	settle_hint(&settle, 500, false);
	settle_done(&settle, 560, 0);
	assert_int_equal(settle_due(&settle), 1100);
	settle_done(&settle, 1100, 0);
	assert_int_equal(settle_due(&settle), SETTLE_NEVER);
}

static void test_wake(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_wake_at(&settle, 900);
	settle_wake_at(&settle, 700);
	settle_wake_at(&settle, 800);
	assert_int_equal(settle_due(&settle), 700);
	settle_done(&settle, 700, 0);
	assert_int_equal(settle_due(&settle), SETTLE_NEVER);
}

static void test_wake_waits_for_the_burst(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_wake_at(&settle, 110);
	settle_hint(&settle, 100, false);
	assert_int_equal(settle_due(&settle), 160);
}

static void test_share_of_a_core(void **state)
{
	struct settle settle = fresh();

	(void)state;
	/* A dump that took 100 ms earns 2 s of rest, whatever is heard. */
	settle_hint(&settle, 100, false);
	settle_done(&settle, 300, 100);
	settle_hint(&settle, 310, false);
	assert_int_equal(settle_due(&settle), 2300);
	/* And in a storm the wait for its end is stretched as much, so that dumps stay few. */
	for (uint64_t now = 310; now < 2600; now += 10)
		settle_hint(&settle, now, false);
	assert_int_equal(settle_due(&settle), 2310);
}

static void test_failed(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_hint(&settle, 100, false);
	settle_failed(&settle, 160, 500);
	assert_int_equal(settle_due(&settle), 660);
}

static void test_now(void **state)
{
	struct settle settle = fresh();

	(void)state;
	settle_hint(&settle, 100, false);
	settle_done(&settle, 160, 100);
	settle_hint(&settle, 170, false);
	settle_now(&settle, 200);
	assert_int_equal(settle_due(&settle), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_max_wait),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_wake_waits_for_the_burst),
		cmocka_unit_test(test_share_of_a_core),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_now),
	};

	return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
