"""Webhooks: what an answer means, and which way a call goes."""

import pytest

from vivavoce.domain.webhooks import lane_of_posts, verdict_on

URL = "https://hooks.example/in?token=s3cr3t"


@pytest.mark.parametrize(
    ("status", "webhook", "callback"),
    [
        (200, "taken", "taken"),
        (204, "taken", "taken"),
        (299, "taken", "taken"),
        (199, "later", "refused"),
        (301, "later", "refused"),
        (307, "later", "refused"),
        (400, "later", "refused"),
        (404, "later", "refused"),
        (408, "later", "later"),
        (410, "gone", "refused"),
        (425, "later", "later"),
        (429, "later", "later"),
        (500, "later", "later"),
        (599, "later", "later"),
    ],
)
def test_what_a_status_means(status, webhook, callback):
    assert (verdict_on("webhook", status), verdict_on("callback", status)) == (webhook, callback)


def test_a_conversation_goes_one_way_and_a_host_has_few():
    lanes = [lane_of_posts(URL, f"talk-{number}") for number in range(100)]

    assert lanes == [lane_of_posts(URL, f"talk-{number}") for number in range(100)]
    assert len(set(lanes)) == 4
    assert len({lane_of_posts(URL, f"talk-{number}", is_failing=True) for number in range(100)}) == 1
    assert lane_of_posts(URL, "talk-1", is_failing=True) not in lanes
    assert lane_of_posts("https://other.example/", "talk-1") not in lanes


@pytest.mark.parametrize("url", [URL, "https://[::1", "http://s3cr3t:s3cr3t@[", ""])
def test_a_lane_tells_no_secret(url):
    assert "s3cr3t" not in lane_of_posts(url, None)
