/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * retry.c - pure: when to try again what failed
 */
#include "retry.h"

#define FIRST_PAUSE_MS	 250
#define LONGEST_PAUSE_MS 30000
#define HOPELESS_TRIES	 3

uint32_t retry_pause_ms(uint32_t failures, uint32_t random)
{
	uint32_t pause_ms = FIRST_PAUSE_MS;

	while (failures-- > 1 && pause_ms < LONGEST_PAUSE_MS)
		pause_ms *= 2;
	if (pause_ms > LONGEST_PAUSE_MS)
		pause_ms = LONGEST_PAUSE_MS;
	/* From four to six fifths. */
	pause_ms = pause_ms * 4 / 5 + random % (pause_ms * 2 / 5 + 1);
	return pause_ms < LONGEST_PAUSE_MS ? pause_ms : LONGEST_PAUSE_MS;
}

uint32_t retry_failed(struct retry *retry, uint64_t now_ms, uint32_t random)
{
	uint32_t pause_ms;

	if (retry->failures < UINT32_MAX)
		retry->failures++;
	pause_ms = retry_pause_ms(retry->failures, random);
	retry->next_ms = now_ms + pause_ms;
	return pause_ms;
}

uint32_t retry_hopeless(struct retry *retry, uint64_t now_ms, uint32_t random)
{
	if (++retry->hopeless >= HOPELESS_TRIES) {
		retry->is_resting = true;
		return 0;
	}
	return retry_failed(retry, now_ms, random);
}

void retry_reset(struct retry *retry)
{
	*retry = (struct retry){0};
}

bool retry_is_due(const struct retry *retry, uint64_t now_ms)
{
	return !retry->is_resting && retry->next_ms <= now_ms;
}
