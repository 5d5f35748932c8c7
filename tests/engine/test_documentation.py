"""Documentation through the engine."""

from typing import get_args

import pytest

from vivavoce.errors import InvalidInput
from vivavoce.operations.documentation import Topic
from vivavoce.operations.pages import PAGES


@pytest.mark.parametrize("topic", get_args(Topic))
async def test_each_page_is_given_as_markdown(run, topic):
    shown = await run("getDocumentation", docType=topic)

    assert shown == {"docType": topic, "content": PAGES[topic]()}
    assert shown["content"].startswith("# ")


async def test_a_page_that_is_not_there_is_refused_with_the_ones_that_are(run):
    with pytest.raises(InvalidInput) as refusal:
        await run("getDocumentation", docType="weather")

    assert all(topic in refusal.value.details["docType"] for topic in get_args(Topic))
