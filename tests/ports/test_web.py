"""What the web promises to a reader of pages: good manners, plain reasons, and no way inside."""

import gzip
from collections.abc import AsyncIterator
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce import __version__
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.robots import robots_of
from vivavoce.adapters.egress.web import FetchedWeb
from vivavoce.errors import LimitReached, Unreadable, UpstreamFailed

from .loopback import FORBIDDEN_URLS, PUBLIC, Switchboard, answer, lying_names, redirect

HOME = "http://public.example"
HTML = answer(b"<html><body>Hello</body></html>", content_type="text/html; charset=utf-8")


class Clock:
    """A clock that moves only when someone sleeps, or when a test says so."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def web(canary, front, clock) -> AsyncIterator[FetchedWeb]:
    """The web, in which the front server is public.example and its like."""
    names = lying_names()
    for name in ("other.example", "www.public.example", "docs.public.example"):
        names.tell(name, [PUBLIC])
    egress = Egress(resolve=names, dial=Switchboard(canary, {PUBLIC: front}))
    yield FetchedWeb(egress, clock.now, clock.sleep)
    await egress.close()


# No way inside


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
async def test_no_entry_point_leads_inside(web, front, canary, url):
    front.answers["/"] = redirect(url)
    front.answers["/map.xml"] = urlset(url)
    front.answers["/index.xml"] = index(url)

    for ask in (
        lambda: web.page(url),
        lambda: web.page(f"{HOME}/"),
        lambda: web.file(url, 1_000_000),
        lambda: web.file(f"{HOME}/", 1_000_000),
        lambda: web.site(url, sitemap=None, without=[]),
        lambda: web.site(HOME, sitemap=url, without=[]),
        lambda: web.site(HOME, sitemap=f"{HOME}/", without=[]),
        lambda: web.site(HOME, sitemap=f"{HOME}/index.xml", without=[]),
    ):
        with pytest.raises((Unreadable, UpstreamFailed)):
            await ask()

    assert await web.site(HOME, sitemap=f"{HOME}/map.xml", without=[]) == []
    assert canary.connections == 0


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
async def test_neither_robots_txt_nor_the_sitemap_that_it_names_leads_inside(web, front, canary, clock, url):
    front.answers["/robots.txt"] = redirect(url)
    with pytest.raises((Unreadable, UpstreamFailed), match=r"robots\.txt"):
        await web.page(f"{HOME}/page")

    clock.time += 7200
    front.answers["/robots.txt"] = answer(f"Sitemap: {url}".encode())
    with pytest.raises(Unreadable):
        await web.site(HOME, sitemap=None, without=[])

    assert "/page" not in front.paths
    assert canary.connections == 0


# Files that people send


async def test_a_file_is_fetched_without_asking_for_the_rules_of_robots(web, front):
    front.answers["/robots.txt"] = answer(b"User-agent: *\nDisallow: /")
    front.answers["/old"] = redirect("http://other.example/a.pdf")
    front.answers["/a.pdf"] = answer(b"%PDF-1.7", content_type="Application/PDF; name=a")

    assert await web.file(f"{HOME}/old", 1_000) == ("application/pdf", b"%PDF-1.7")
    assert front.paths == ["/old", "/a.pdf"]


async def test_a_text_is_in_the_encoding_that_only_the_server_tells(web, front):
    front.answers["/a.txt"] = answer("Olá".encode("latin-1"), content_type="text/plain; charset=latin-1")

    assert (await web.file(f"{HOME}/a.txt", 1_000)).body.decode("utf-8-sig") == "Olá"


async def test_a_file_that_is_too_large_or_not_there_has_its_reason(web, front):
    front.answers["/large"] = answer(bytes(1_000_001))
    front.answers["/gone"] = answer(status=404)

    with pytest.raises(Unreadable, match="larger than 1 MB"):
        await web.file(f"{HOME}/large", 1_000_000)
    with pytest.raises(Unreadable, match="404"):
        await web.file(f"{HOME}/gone", 1_000_000)


# Pages


async def test_a_page_is_fetched_with_our_name(web, front):
    front.answers["/page?a=b"] = HTML

    page = await web.page(f"{HOME}/page?a=b#top")

    assert page == (f"{HOME}/page?a=b", "html", b"<html><body>Hello</body></html>")
    assert front.header("user-agent") == f"vivavoce/{__version__} (+knowledge)"


async def test_a_page_is_known_by_where_it_was_found_in_the_end(web, front):
    front.answers["/old"] = redirect("/older", 301)
    front.answers["/older"] = redirect("http://other.example/new", 308)
    front.answers["/new"] = HTML

    assert (await web.page(f"{HOME}/old")).url == "http://other.example/new"


@pytest.mark.parametrize(
    ("path", "content_type", "body", "kind"),
    [
        ("/a", "text/html", b"<p>", "html"),
        ("/a", "application/xhtml+xml", b"<p>", "html"),
        ("/a.pdf", "application/pdf", b"%PDF-1.7", "pdf"),
        ("/a", "text/html", b"%PDF-1.7", "pdf"),
        ("/a", "application/octet-stream", b"%PDF-1.7", "pdf"),
        ("/a.md", "text/plain; charset=utf-8", b"# Title", "md"),
        ("/a", "text/markdown", b"# Title", "md"),
        ("/a.csv", "application/octet-stream", b"a,b", "csv"),
        ("/a", "text/csv", b"a,b", "csv"),
        ("/a", "application/json", b"{}", "json"),
        ("/a", "application/ld+json", b"{}", "json"),
        ("/a.txt", "text/plain", b"words", "txt"),
        ("/a", "text/x-python", b"words", "txt"),
        ("/a", "", b"words", "txt"),
        ("/a", "", b"\n<!DOCTYPE html><p>", "html"),
        ("/a.docx", "application/octet-stream", b"PK\3\4\0", "docx"),
        ("/a.html", "application/octet-stream", b"PK\3\4\0", None),
        ("/a", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK\3\4", "xlsx"),
        ("/a", "application/epub+zip", b"PK\3\4", "epub"),
        ("/sitemap.xml", "text/xml", b"<urlset/>", "html"),
        ("/a", "image/png", b"\x89PNG", None),
        ("/a", "video/mp4", b"\0\0", None),
        ("/a.svg", "image/svg+xml", b"<svg>", None),
        ("/a.zip", "application/zip", b"PK\3\4", None),
        ("/a.php", "text/html", b"<p>", "html"),
        ("/a.md", "text/html", b"<p>", "html"),
    ],
)
async def test_what_kind_of_file_it_is_follows_from_type_name_and_content(
    web, front, path, content_type, body, kind
):
    front.answers[path] = answer(body, content_type=content_type)

    if kind is None:
        with pytest.raises(Unreadable, match="be read"):
            await web.page(HOME + path)
    else:
        assert (await web.page(HOME + path)).kind == kind


@pytest.mark.parametrize(
    ("charset", "text"),
    [("windows-1251", "Привет"), ("iso-8859-1", "für 5 €"), ("Shift_JIS", "こんにちは"), ("utf-16", "Hello")],
)
async def test_a_page_in_an_encoding_that_only_the_server_names_comes_in_utf8(web, front, charset, text):
    raw = text.encode("cp1252" if charset == "iso-8859-1" else charset)
    if charset == "utf-16":
        raw = text.encode("utf-16-be")
        charset = "utf-16be"
    front.answers["/"] = answer(raw, content_type=f'text/html; charset="{charset}"')

    assert (await web.page(f"{HOME}/")).body.decode("utf-8-sig") == text


@pytest.mark.parametrize("charset", ["utf-8", "unheard-of", "zip", "punycode", "idna", "unicode_escape"])
async def test_a_page_is_left_as_it_is_where_its_encoding_is_utf8_or_strange(web, front, charset):
    front.answers["/"] = answer("für".encode(), content_type=f"text/html; charset={charset}")

    assert (await web.page(f"{HOME}/")).body == "für".encode()


@pytest.mark.parametrize(
    ("status", "failure", "words"),
    [
        (401, Unreadable, "401 Unauthorized: it asks for a login"),
        (403, Unreadable, "403 Forbidden: it asks for a login or does not let programs in"),
        (404, Unreadable, "404 Not Found: there is nothing at this address"),
        (410, Unreadable, "410 Gone"),
        (429, LimitReached, "429 Too Many Requests"),
        (500, UpstreamFailed, "500 Internal Server Error: the site fails"),
        (503, UpstreamFailed, "503 Service Unavailable"),
        (304, Unreadable, "304 Not Modified"),
        (599, UpstreamFailed, "599"),
    ],
)
async def test_a_status_that_is_no_page_is_said_in_words_and_without_the_query(
    web, front, status, failure, words
):
    front.answers["/page?key=s3cret"] = answer(status=status)

    with pytest.raises(failure, match=words) as refusal:
        await web.page(f"{HOME}/page?key=s3cret")

    assert f"{HOME}/page" in str(refusal.value)
    assert "s3cret" not in str(refusal.value)


@pytest.mark.parametrize(
    "location", ["/login?next=/page", "/users/sign_in", "/wp-login.php", "/Account/Login", "/sso/"]
)
async def test_a_page_that_sends_to_a_login_says_so(web, front, location):
    front.answers["/page"] = redirect(location)

    with pytest.raises(Unreadable, match="asks for a login"):
        await web.page(f"{HOME}/page")

    assert front.paths == ["/robots.txt", "/page"]


async def test_a_page_about_logins_is_a_page(web, front):
    front.answers["/docs/login"] = redirect("/docs/login/")
    front.answers["/docs/login/"] = HTML

    assert (await web.page(f"{HOME}/docs/login")).kind == "html"


async def test_a_page_that_sends_on_and_on_is_unreadable(web, front):
    front.answers["/page"] = redirect("/page")

    with pytest.raises(Unreadable, match="more than 3 times"):
        await web.page(f"{HOME}/page")

    assert front.paths.count("/page") == 4


async def test_a_page_that_is_too_large_is_unreadable(web, front):
    front.answers["/page"] = answer(gzip.compress(bytes(20_000_001), 1), content_encoding="gzip")

    with pytest.raises(Unreadable, match="larger than 20 MB"):
        await web.page(f"{HOME}/page")


async def test_a_page_that_breaks_off_may_be_tried_again(web, front):
    front.answers["/page"] = b"HTTP/1.1 nonsense\r\n\r\n"

    with pytest.raises(UpstreamFailed):
        await web.page(f"{HOME}/page")


# Manners


async def test_robots_txt_is_asked_first_and_once_an_hour(web, front, clock):
    front.answers["/a"] = front.answers["/b"] = HTML

    await web.page(f"{HOME}/a")
    await web.page(f"{HOME}/b")
    clock.time += 3601
    await web.page(f"{HOME}/b")

    assert front.paths == ["/robots.txt", "/a", "/b", "/robots.txt", "/b"]


async def test_a_page_that_robots_txt_forbids_is_not_fetched(web, front):
    front.answers["/robots.txt"] = answer(b"User-agent: *\nDisallow: /private")

    with pytest.raises(Unreadable, match=r"robots\.txt says so"):
        await web.page(f"{HOME}/private/page")

    assert front.paths == ["/robots.txt"]


async def test_a_redirect_leads_around_no_robots_txt(web, front):
    front.answers["/robots.txt"] = answer(b"User-agent: vivavoce\nDisallow: /private")
    front.answers["/page"] = redirect("/private")

    with pytest.raises(Unreadable, match=r"robots\.txt says so"):
        await web.page(f"{HOME}/page")

    assert front.paths == ["/robots.txt", "/page"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
async def test_a_site_without_robots_txt_allows_everything(web, front, status):
    front.answers["/robots.txt"] = answer(b"User-agent: *\nDisallow: /", status=status)
    front.answers["/page"] = HTML

    assert (await web.page(f"{HOME}/page")).kind == "html"


@pytest.mark.parametrize(
    "said", [answer(status=500), answer(status=503), b"nonsense\r\n\r\n", redirect("/robots.txt")]
)
async def test_a_site_whose_robots_txt_fails_allows_nothing_for_a_while(web, front, clock, said):
    front.answers["/robots.txt"] = said
    front.answers["/page"] = HTML
    for _ in range(2):
        with pytest.raises(UpstreamFailed, match=r"robots\.txt of http://public\.example cannot be fetched"):
            await web.page(f"{HOME}/page")
    assert "/page" not in front.paths

    front.answers["/robots.txt"] = answer(b"")
    clock.time += 61

    assert (await web.page(f"{HOME}/page")).kind == "html"


async def test_robots_txt_may_stand_behind_a_redirect(web, front):
    front.answers["/robots.txt"] = redirect("http://other.example/rules")
    front.answers["/rules"] = answer(b"User-agent: *\nDisallow: /page")

    with pytest.raises(Unreadable, match=r"robots\.txt says so"):
        await web.page(f"{HOME}/page")


@pytest.mark.parametrize(("asked", "waited"), [("2.5", 2.5), ("3600", 10.0)])
async def test_pages_of_a_site_are_fetched_no_faster_than_it_likes(web, front, clock, asked, waited):
    front.answers["/robots.txt"] = answer(f"User-agent: *\nCrawl-delay: {asked}".encode())
    front.answers["/page"] = HTML

    for _ in range(3):
        await web.page(f"{HOME}/page")

    assert clock.slept == [waited, waited]


async def test_no_time_is_lost_where_a_site_does_not_mind(web, front, clock):
    front.answers["/page"] = HTML

    for _ in range(3):
        await web.page(f"{HOME}/page")

    assert clock.slept == []


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        ("", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /", "/a", False),
        ("Disallow: /a", "/b", True),
        ("Disallow: /a", "/abc", False),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Allow: /a/b\nDisallow: /a", "/a/c", False),
        ("Allow: /a\nDisallow: /a", "/a", True),
        ("Disallow: /*.php", "/x/y.php?z", False),
        ("Disallow: /*.php$", "/x/y.php", False),
        ("Disallow: /*.php$", "/x/y.php?z", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /a*b*c$", "/abbc", False),
        ("Disallow: /a*bb$", "/ab", True),
        ("Disallow: *", "/", False),
        ("Disallow: /*?", "/a?b", False),
        ("Disallow: /a%3cd", "/a%3Cd", False),
        ("Disallow: /%7Ejoe", "/~joe", False),
        ("Disallow: /ü", "/%C3%BC", False),
        ("Disallow: /a # why", "/a", False),
        ("DISALLOW : /a", "/a", False),
        ("Noindex: /a", "/a", True),
        ("Disallow: /\nAllow: /$", "/", True),
    ],
)
def test_the_longest_rule_decides(rules, path, is_allowed):
    assert robots_of(f"User-agent: *\n{rules}", "vivavoce").allows(path) is is_allowed


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: VivaVoce/2.0\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\nUser-agent: vivavoce\nAllow: /", True),
        ("User-agent: *\nDisallow: /\nUser-agent: vivavoce\nDisallow:", True),
        ("User-agent: vivavoce\nUser-agent: other\nDisallow: /", False),
        ("User-agent: vivavoce\n\nUser-agent: other\nDisallow: /", False),
        (
            "User-agent: vivavoce\nAllow: /b\nUser-agent: x\nDisallow: /\nUser-agent: vivavoce\nDisallow: /",
            False,
        ),
        ("Disallow: /", True),
        ("\ufeffUser-agent: *\r\nDisallow: /", False),
        ("<html><body>Not found: /</body></html>", True),
    ],
)
def test_the_groups_for_us_count_and_else_those_for_everyone(text, is_allowed):
    assert robots_of(text, "vivavoce").allows("/a") is is_allowed


@given(st.text(max_size=200), st.text(max_size=50))
def test_any_text_is_a_robots_txt(text, path):
    assert robots_of(text, "vivavoce").allows(f"/{path}") in (True, False)


# Sites


async def test_a_site_is_what_its_sitemap_lists_each_page_once_and_in_order(web, front):
    front.answers["/sitemap.xml"] = urlset(
        f"{HOME}/b", f"{HOME}/a", f"{HOME}/b#part", "http://PUBLIC.example:80/a", f"{HOME}/c?d=1&e=2"
    )

    pages = await web.site(f"{HOME}/any/page", sitemap=None, without=[])

    assert pages == [f"{HOME}/b", f"{HOME}/a", f"{HOME}/c?d=1&e=2"]


async def test_the_sitemaps_that_robots_txt_names_come_before_the_usual_one(web, front):
    front.answers["/robots.txt"] = answer(
        f"Sitemap: {HOME}/1.xml\nsitemap: {HOME}/gone.xml\nSITEMAP:/2.txt".encode()
    )
    front.answers["/1.xml"] = urlset(f"{HOME}/a")
    front.answers["/2.txt"] = answer(f"{HOME}/b\r\n\r\n  {HOME}/c  \n".encode())

    assert await web.site(HOME, sitemap=None, without=[]) == [f"{HOME}/a", f"{HOME}/b", f"{HOME}/c"]
    assert "/sitemap.xml" not in front.paths


async def test_a_sitemap_that_is_given_comes_before_all_others(web, front):
    front.answers["/robots.txt"] = answer(f"Sitemap: {HOME}/1.xml".encode())
    front.answers["/mine.xml"] = urlset(f"{HOME}/a")

    assert await web.site(HOME, sitemap="http://other.example/mine.xml", without=[]) == [f"{HOME}/a"]
    assert front.paths == ["/robots.txt", "/mine.xml"]


async def test_a_sitemap_may_name_others_two_levels_deep(web, front):
    front.answers["/sitemap.xml"] = index(
        f"{HOME}/1.xml", f"{HOME}/gone.xml", f"{HOME}/sitemap.xml", f"{HOME}/3.xml"
    )
    front.answers["/1.xml"] = index(f"{HOME}/2.xml")
    front.answers["/2.xml"] = answer(gzip.compress(urlset_of(f"{HOME}/a")), content_type="application/gzip")
    front.answers["/3.xml"] = urlset(f"{HOME}/b")

    assert await web.site(HOME, sitemap=None, without=[]) == [f"{HOME}/a", f"{HOME}/b"]

    front.answers["/2.xml"] = index(f"{HOME}/3.xml")
    assert await web.site(HOME, sitemap=f"{HOME}/1.xml", without=[]) == [f"{HOME}/b"]
    assert await web.site(HOME, sitemap=f"{HOME}/sitemap.xml", without=[]) == [f"{HOME}/b"]

    front.answers["/3.xml"] = index(f"{HOME}/4.xml")
    front.answers["/4.xml"] = urlset(f"{HOME}/c")
    assert await web.site(HOME, sitemap=f"{HOME}/sitemap.xml", without=[]) == [f"{HOME}/c"]
    assert await web.site(HOME, sitemap=f"{HOME}/1.xml", without=[]) == []


async def test_pages_of_other_sites_are_left_out(web, front):
    front.answers["/sitemap.xml"] = urlset(
        "http://other.example/a",
        "http://notpublic.example/a",
        "http://public.example.other.example/a",
        "https://docs.public.example/a",
        "https://public.example/a",
        "http://public.example:8080/a",
        "/a",
        "http://[",
        "mailto:someone@public.example",
    )
    expected = ["https://docs.public.example/a", "https://public.example/a"]

    assert await web.site(HOME, sitemap=None, without=[]) == expected
    assert await web.site("http://www.public.example/", sitemap=None, without=[]) == expected


async def test_what_is_to_be_left_out_is_left_out(web, front):
    front.answers["/sitemap.xml"] = urlset(*(f"{HOME}/{path}" for path in ("a", "blog/1", "blog/2", "b")))

    pages = await web.site(HOME, sitemap=None, without=[f"{HOME}/blog/", ""])

    assert pages == [f"{HOME}/a", f"{HOME}/b"]


async def test_pages_that_robots_txt_forbids_are_left_out(web, front):
    front.answers["/robots.txt"] = answer(b"User-agent: *\nDisallow: /private")
    front.answers["/sitemap.xml"] = urlset(f"{HOME}/private/a", f"{HOME}/b")

    assert await web.site(HOME, sitemap=None, without=[]) == [f"{HOME}/b"]


async def test_no_more_than_5000_pages_are_listed(web, front):
    front.answers["/sitemap.xml"] = urlset(*(f"{HOME}/{number}" for number in range(5001)))

    pages = await web.site(HOME, sitemap=None, without=[])

    assert (len(pages), pages[-1]) == (5000, f"{HOME}/4999")


async def test_no_more_than_100_sitemaps_are_fetched(web, front):
    front.answers["/sitemap.xml"] = index(*(f"{HOME}/{number}.xml" for number in range(200)))

    with pytest.raises(Unreadable):
        await web.site(HOME, sitemap=None, without=[])

    assert len(front.paths) == 101


@pytest.mark.parametrize(
    "said", [answer(status=404), answer(b"<html><body>", content_type="text/html"), answer(b"")]
)
async def test_a_site_without_a_sitemap_says_what_to_do(web, front, said):
    front.answers["/sitemap.xml"] = said

    with pytest.raises(
        Unreadable, match=r"http://public\.example has no sitemap; add its pages one by one as web_page"
    ):
        await web.site(f"{HOME}/page?key=s3cret", sitemap=None, without=[])


async def test_a_sitemap_that_was_given_and_is_none_is_said_to_be_none(web, front):
    front.answers["/mine.xml"] = HTML

    with pytest.raises(Unreadable, match="no sitemap"):
        await web.site(HOME, sitemap=f"{HOME}/mine.xml", without=[])
    with pytest.raises(Unreadable, match="404 Not Found"):
        await web.site(HOME, sitemap=f"{HOME}/other.xml", without=[])


@pytest.mark.parametrize("given", [None, f"{HOME}/sitemap.xml"])
@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (b"nonsense\r\n\r\n", UpstreamFailed),
        (answer(status=503), UpstreamFailed),
        (answer(status=429), LimitReached),
    ],
)
async def test_a_server_that_fails_under_the_sitemap_may_be_tried_again(web, front, said, failure, given):
    front.answers["/sitemap.xml"] = said

    with pytest.raises(failure):
        await web.site(HOME, sitemap=given, without=[])


async def test_of_several_sitemaps_one_that_may_still_come_decides(web, front):
    named = "".join(f"Sitemap: {HOME}/{name}.xml\n" for name in ("failing", "missing"))
    front.answers["/robots.txt"] = answer(named.encode())
    front.answers["/failing.xml"] = answer(status=503)

    with pytest.raises(UpstreamFailed, match="503"):
        await web.site(HOME, sitemap=None, without=[])


async def test_a_name_that_is_not_known_may_be_known_later(clock):
    async def unknown(host: str, port: int) -> list[str]:
        return []

    web = FetchedWeb(Egress(resolve=unknown), clock.now, clock.sleep)

    for _ in range(2):
        with pytest.raises(UpstreamFailed, match="the name is not known"):
            await web.page("http://nowhere.example/page")


LAUGHS = b'<!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
OUTSIDE = b'<!DOCTYPE urlset SYSTEM "http://127.0.0.1/x.dtd"><urlset><url><loc>http://public.example/</loc></url></urlset>'


@pytest.mark.parametrize("trap", [LAUGHS, OUTSIDE, b"<urlset>" + b"<a>" * 100_000])
async def test_a_sitemap_that_is_a_trap_is_refused(web, front, canary, trap):
    front.answers["/mine.xml"] = answer(trap)

    with pytest.raises(Unreadable, match="sitemap"):
        await web.site(HOME, sitemap=f"{HOME}/mine.xml", without=[])

    assert canary.connections == 0


async def test_a_packed_sitemap_is_unpacked_up_to_a_limit(web, front):
    body = urlset_of(f"{HOME}/a").replace(
        b"</urlset>", b" " * 40_000_000 + b"<url><loc>http://public.example/b</loc></url>"
    )
    front.answers["/sitemap.xml.gz"] = answer(gzip.compress(body, 1))

    assert await web.site(HOME, sitemap=f"{HOME}/sitemap.xml.gz", without=[]) == [f"{HOME}/a"]


async def test_a_damaged_sitemap_counts_up_to_the_damage(web, front):
    front.answers["/sitemap.xml"] = answer(
        urlset_of(f"{HOME}/a").replace(b"</urlset>", b"<url><loc>http://pub")
    )

    assert await web.site(HOME, sitemap=None, without=[]) == [f"{HOME}/a"]


async def test_only_the_addresses_of_pages_count(web, front):
    front.answers["/sitemap.xml"] = answer(
        b'<?xml version="1.0"?><!-- a comment --><s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<s:url><s:loc>\n http://public.example/a \n</s:loc><image:image><image:loc>http://public.example/i.png"
        b"</image:loc></image:image><image:loc>http://public.example/j.png</image:loc></s:url>"
        b"<s:url><s:loc><![CDATA[http://public.example/b?c&d]]></s:loc></s:url></s:urlset>"
    )

    assert await web.site(HOME, sitemap=None, without=[]) == [f"{HOME}/a", f"{HOME}/b?c&d"]


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        (b'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="x"><url>', True),
        (b"\xef\xbb\xbf<urlset/>", True),
        ('<?xml version="1.0" encoding="utf-16"?><urlset/>'.encode("utf-16"), True),
        (b'<?xml-stylesheet href="a.xsl"?><!-- b --><sitemapindex>', True),
        (gzip.compress(b"<urlset></urlset>", mtime=0), True),
        (b"<html><urlset>", False),
        (b"<!DOCTYPE html><html>", False),
        (b"<!DOCTYPE urlset><urlset>", False),
        (b"urlset", False),
        (b"", False),
        (b"\x1f\x8bno gzip", False),
        (b"http://public.example/", False),
    ],
)
def test_a_sitemap_is_told_from_a_page(body, is_one):
    assert FetchedWeb.is_sitemap(body) is is_one


@given(st.binary(max_size=300))
def test_any_bytes_are_a_sitemap_or_not(body):
    assert FetchedWeb.is_sitemap(body) in (True, False)


def urlset_of(*addresses: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{escape(a)}</loc></url>' for a in addresses)}</urlset>".encode()


def urlset(*addresses: str) -> bytes:
    return answer(urlset_of(*addresses), content_type="application/xml")


def index(*addresses: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{escape(a)}</loc></sitemap>" for a in addresses)
    return answer(f"<sitemapindex>{listed}</sitemapindex>".encode(), content_type="application/xml")
