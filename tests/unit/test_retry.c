/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_retry.c - the pauses between tries
 */
#include "retry.h"
#include "scene.h"

static void test_pauses(void **state)
{
	/* Within a fifth of 250 ms doubled each time, never above 30 s. */
	static const uint32_t means[] = {250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};

	(void)state;
	for (uint32_t failures = 1; failures <= 9; failures++) {
		uint32_t mean = means[failures - 1];

		for (uint32_t random = 0; random < 100000; random += 997) {
			uint32_t pause = retry_pause_ms(failures, random);

			assert_in_range(pause, mean * 4 / 5, mean * 6 / 5 + 1);
			assert_in_range(pause, 1, 30000);
		}
		assert_int_not_equal(retry_pause_ms(failures, 0), retry_pause_ms(failures, 50));
	}
	assert_in_range(retry_pause_ms(UINT32_MAX, 7), 24000, 30000);
}

static void test_failed(void **state)
{
	struct retry retry = {0};

	(void)state;
	assert_true(retry_is_due(&retry, 0));
	assert_int_equal(retry_failed(&retry, 1000, 0), 200);
	assert_false(retry_is_due(&retry, 1199));
	assert_true(retry_is_due(&retry, 1200));
	assert_int_equal(retry_failed(&retry, 1200, 0), 400);
	retry_reset(&retry);
	assert_true(retry_is_due(&retry, 0));
	assert_int_equal(retry_failed(&retry, 2000, 0), 200);
}

static void test_hopeless(void **state)
{
	struct retry retry = {0};

	(void)state;
	assert_int_not_equal(retry_hopeless(&retry, 1000, 0), 0);
	assert_int_not_equal(retry_hopeless(&retry, 2000, 0), 0);
	/* The third: at rest until somebody resets it. */
	assert_int_equal(retry_hopeless(&retry, 3000, 0), 0);
	assert_true(retry.is_resting);
	assert_false(retry_is_due(&retry, UINT64_MAX));
	retry_reset(&retry);
	assert_true(retry_is_due(&retry, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_hopeless),
	};

	return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
