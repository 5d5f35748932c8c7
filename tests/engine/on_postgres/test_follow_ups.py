"""Some of the tests of follow-ups, on Postgres."""

from tests.engine.test_follow_ups import (  # noqa: F401
    line,
    silent,
    spoken,
    test_a_reply_of_the_team_stops_them,
    test_after_a_long_stop_one_is_sent_late_and_not_several,
    test_after_a_stop_what_was_planned_is_sent_late_and_once,
    test_an_answer_of_the_person_stops_them_and_the_next_silence_begins_from_the_first,
    test_planned_again_under_its_tag_it_replaces_the_earlier_one,
    test_the_parts_go_out_one_after_the_other_into_the_silence,
    test_the_team_stops_them,
    test_what_was_planned_can_be_taken_back,
)
