"""Checks the alarms in an hour of each kind."""

import unittest

from rendering import evaluate
from simulation import FUNCTIONS, Hour


class Hours(unittest.TestCase):
    """Each alarm in an hour in which nobody comes, in which many do, in which limits hold, and in which it breaks."""

    def hour(self, checked="ok", **parameters):
        hour = Hour(evaluate(**parameters)["Resources"])
        if checked:
            for minute in range(60):
                hour.check(minute, checked)
        return hour

    def busy(self, checked="ok"):
        hour = self.hour(checked)
        for minute in range(60):
            for operation in FUNCTIONS:
                hour.request(minute, operation, times=100)
        return hour

    def test_an_idle_hour_sounds_no_alarm(self):
        self.assertEqual(self.hour().alarming(), {})
        self.assertEqual(self.hour(checked=None, SyntheticCheck="false").alarming(), {})

    def test_an_idle_hour_with_a_slow_request_and_one_error_sounds_no_alarm(self):
        hour = self.hour()
        for minute in range(0, 60, 5):
            hour.request(minute, duration=6_000)
        hour.request(30, outcome="crash")
        hour.request(40, outcome="internal")
        hour.request(50, outcome="too_large")
        self.assertEqual(hour.alarming(), {})

    def test_a_busy_hour_with_few_errors_sounds_no_alarm(self):
        hour = self.busy()
        for minute in range(60):
            hour.request(minute, outcome="internal")
            hour.request(minute, ["users", "response-statistics"][minute % 2], "crash")
            hour.request(minute, outcome="too_large")
            hour.request(minute, outcome="gateway_429", times=int(minute % 2 == 0))
        self.assertEqual(set(hour.alarming()), {"BrokenListsAlarm"})

    def test_an_hour_in_which_clients_exceed_each_limit_sounds_the_alarm_of_limits_alone(self):
        for outcome in ("throttled", "too_large", "gateway_429", "lambda_429", "waf"):
            hour = self.busy()
            for minute in range(20, 40):
                for operation in FUNCTIONS if outcome != "too_large" else ["response-statistics"]:
                    hour.request(minute, operation, outcome, times=50)
            self.assertEqual(set(hour.alarming()), {"LimitsAlarm"}, outcome)

    def test_limits_page_once_they_have_kept_the_check_from_its_end_for_ten_minutes(self):
        for outcome in ("throttled", "gateway_429", "lambda_429", "waf"):
            for minutes, sounds in [(9, set()), (10, {"SyntheticCheckMissingAlarm", "PagingAlarm"})]:
                hour = self.busy(checked=None)
                for minute in range(60):
                    hour.check(minute, outcome if 20 <= minute < 20 + minutes else "ok")
                self.assertEqual(set(hour.alarming()) - {"LimitsAlarm"}, sounds, outcome)

    def test_a_check_that_never_passes_pages_whatever_it_finds(self):
        hour = self.busy(checked=None)
        for minute in range(60):
            hour.check(minute, ["throttled", "throttled", "internal"][minute % 3] if minute >= 5 else "ok")
        self.assertEqual(set(hour.alarming()), {"SyntheticCheckMissingAlarm", "PagingAlarm"})

    def test_server_errors_during_throttling_page_nevertheless(self):
        hour = self.busy()
        for minute in range(20, 40):
            hour.request(minute, outcome="throttled", times=50)
            hour.request(minute, outcome="internal", times=3)
        self.assertEqual(set(hour.alarming()), {"LimitsAlarm", "ServerErrorsAlarm", "PagingAlarm"})

    def test_an_hour_in_which_a_function_ends_in_each_request_pages_within_two_minutes(self):
        for operation, alarm in [("users", "UsersErrorsAlarm"), ("response-statistics", "ResponseStatisticsErrorsAlarm")]:
            hour = self.hour()
            for minute in range(20, 40):
                hour.request(minute, operation, "crash", times=3)
            on = hour.alarming()
            self.assertEqual(set(on) - {"BrokenListsAlarm"}, {alarm, "ServerErrorsAlarm", "PagingAlarm"})
            self.assertLess(on["PagingAlarm"][0], 22)

    def test_two_ends_of_a_function_in_five_minutes_page_though_others_are_served(self):
        for operation, alarm in [("users", "UsersErrorsAlarm"), ("response-statistics", "ResponseStatisticsErrorsAlarm")]:
            hour = self.hour()
            for minute in range(60):
                hour.request(minute, operation, times=20)
            for minute in (30, 33):
                hour.request(minute, operation, "crash")
            self.assertEqual(set(hour.alarming()) - {"BrokenListsAlarm"}, {alarm, "PagingAlarm"})

    def test_an_hour_in_which_each_answer_is_an_error_pages_within_two_minutes(self):
        for operation in FUNCTIONS:
            hour = self.hour()
            for minute in range(20, 40):
                hour.request(minute, operation, "internal", times=3)
            on = hour.alarming()
            self.assertEqual(set(on), {"ServerErrorsAlarm", "PagingAlarm"})
            self.assertLess(on["PagingAlarm"][0], 22)

    def test_few_requests_page_if_nobody_is_served_and_only_then(self):
        for served, sounds in [(0, {"ServerErrorsAlarm", "PagingAlarm"}), (1, set())]:
            hour = self.hour()
            for minute in range(20, 60):
                hour.request(minute, outcome="internal", times=2)
                hour.request(minute, "users", times=served)
            self.assertEqual(set(hour.alarming()), sounds)

    def test_a_fault_that_only_the_check_meets_pages_within_two_minutes(self):
        hour = self.hour(checked=None)
        for minute in range(60):
            hour.check(minute, "internal" if 20 <= minute < 40 else "ok")
        on = hour.alarming()
        errors = {"ServerErrorsAlarm", "SyntheticCheckAlarm", "SyntheticCheckMissingAlarm"}
        self.assertEqual(set(on), {*errors, "PagingAlarm"})
        self.assertLess(on["PagingAlarm"][0], 22)

    def test_a_check_that_does_not_run_pages_after_ten_minutes(self):
        hour = self.hour(checked=None)
        for minute in range(60):
            if not 20 <= minute < 40:
                hour.check(minute)
        on = hour.alarming()
        self.assertEqual(set(on), {"SyntheticCheckMissingAlarm", "PagingAlarm"})
        self.assertEqual((on["PagingAlarm"][0], on["PagingAlarm"][-1]), (29, 39))

    def test_many_slow_requests_are_reported_and_so_is_one_that_nearly_times_out(self):
        hour = self.hour()
        for minute in range(60):
            hour.request(minute, times=5, duration=6_000)
        self.assertEqual(set(hour.alarming()), {"ResponseStatisticsLatencyAlarm"})
        hour = self.hour()
        hour.request(20, duration=25_000)
        self.assertEqual(set(hour.alarming()), {"ResponseStatisticsTimeoutAlarm"})

    def test_lists_that_break_off_are_reported_but_are_no_errors_that_page(self):
        for report in ("success", "failure", "error", "timeout"):  # Lambda's, of which only an account can tell
            for lasts in (0, 14):
                hour = self.hour()
                for minute in range(20, 40):
                    hour.request(minute, "users", f"broken_list:{report}", times=5, lasts=lasts)
                on = hour.alarming()
                self.assertEqual(on["BrokenListsAlarm"][0], 20 + lasts)
                self.assertEqual(set(on), {"BrokenListsAlarm"}, report)

    def test_a_function_that_ends_pages_while_lists_break_off_whatever_lambda_calls_them(self):
        for report in ("success", "error"):
            hour = self.hour()
            for minute in range(20, 60):
                hour.request(minute, "users", f"broken_list:{report}", times=5)
                hour.request(minute, "users")
                hour.request(minute, "users", "crash")
            self.assertEqual(set(hour.alarming()), {"BrokenListsAlarm", "UsersErrorsAlarm", "PagingAlarm"})


if __name__ == "__main__":
    unittest.main()
