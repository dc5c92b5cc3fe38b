"""The vault's State: forms say what is wrong beside the field, and no value stays anywhere."""

import json

import pytest

from agenticos_app.contracts.secrets import SecretKind
from agenticos_app.db import session as db
from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import new_id
from state.add_secret import AddSecretState
from state.vault import VaultState
from tests.fakes.reflex_state import page_state
from tests.unit.contracts.test_secrets import VALUES
from tests.world import House, Person, build_house

pytestmark = pytest.mark.usefixtures("console")

KEY = "sk-typed-into-a-form-4242"


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person) -> VaultState:
    state = page_state(VaultState, "/vault", cookie=person.cookie)
    await state.load()
    return state


async def add(person: Person, purpose: str = "openai", **form: str) -> AddSecretState:
    state = page_state(AddSecretState, "/vault", cookie=person.cookie)
    state.open_for([])
    state.choose(purpose)
    await state.save({"api_key": KEY, "visibility": "org", **form})
    return state


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-08")
@pytest.mark.parametrize(
    "purpose", ["openai", "azure", "bedrock", "google_cloud", "github_oauth", "google_oauth"]
)
async def test_each_service_takes_the_fields_of_its_kind(house: House, purpose: str) -> None:
    state = page_state(AddSecretState, "/vault", cookie=house.owner.cookie)
    state.open_for([purpose])
    form = {"name": "Named", "visibility": "org", **VALUES[SecretKind(state.kind)]}
    await state.save(form)
    assert (state.problems, state.is_open) == ({}, False)
    page = await opened(house.owner)
    (row,) = page.rows
    assert (str(row.id), row.purpose, row.name, row.visibility) == (state.made, purpose, "Named", "org")
    state.taken()
    assert state.made == ""


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-07")
async def test_a_picker_offers_its_services_and_gets_the_id(house: House) -> None:
    state = page_state(AddSecretState, "/vault", cookie=house.owner.cookie)
    state.open_for(["tavily", "brave", "no such service"])
    assert (state.offered, state.purpose, state.kind) == (["tavily", "brave"], "tavily", "api_key")
    state.choose("azure")
    assert state.kind == "azure_openai"
    state.choose("no such service")
    assert state.purpose == "azure"
    state.set_open(False)
    assert not state.is_open


@pytest.mark.req("DOM-UI-29", "DOM-SECRET-08")
async def test_what_does_not_fit_is_marked_on_its_field_and_the_form_stays(house: House) -> None:
    state = await add(house.owner, "azure", api_key="", endpoint="http://x", name="n" * 129, visibility="all")
    problems = {"api_key": "missing", "endpoint": "invalid", "api_version": "missing"}
    assert state.problems == {**problems, "name": "too_long", "visibility": "invalid"}
    assert (state.is_open, state.made) == (True, "")
    assert (await opened(house.owner)).rows == []
    await add(house.owner, name="Main")
    again = await add(house.owner, name="Main")
    assert (again.problems, again.is_open) == ({"name": "taken"}, True)


@pytest.mark.req("DOM-UI-19")
async def test_a_secret_without_a_name_is_named_after_its_service(house: House) -> None:
    await add(house.owner)
    await add(house.owner)
    assert [row.name for row in (await opened(house.owner)).rows] == ["OpenAI", "OpenAI 2"]


@pytest.mark.req("DOM-SECRET-08")
async def test_a_value_passes_through_and_stays_in_no_variable(house: House) -> None:
    adding = await add(house.owner, name="Main")
    page = await opened(house.owner)
    await page.ask(adding.made, "rotate")
    await page.rotate({"api_key": KEY + "-2\n-bad"})
    await page.rotate({"api_key": KEY + "-2"})
    for state in (adding, page):
        root = state.parent_state
        assert root is not None
        assert KEY not in json.dumps([root.dict(), root.get_delta()], default=str)


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-13")
async def test_the_value_and_the_words_of_a_secret_are_replaced(house: House) -> None:
    page, made = await opened(house.owner), (await add(house.owner, name="Main")).made
    await page.ask(made, "rotate")
    await page.rotate({"api_key": " "})
    assert (page.problems, page.doing) == ({"api_key": "missing"}, "rotate")
    await page.rotate({"api_key": "sk-the-new-value-9999"})
    assert (page.doing, page.saved, page.rows[0].hint) == ("", "rotate", "9999")
    await add(house.owner, name="Other")
    await page.ask(made, "edit")
    for name, code in (("", "missing"), ("Other", "taken")):
        await page.edit({"name": name, "description": ""})
        assert (page.problems, page.doing) == ({"name": code}, "edit")
    await page.edit({"name": "Renamed", "description": "Words"})
    assert [(row.name, row.description) for row in page.rows] == [("Other", ""), ("Renamed", "Words")]
    assert page.saved == "edit"


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-18")
async def test_a_secret_is_shared_with_everybody_and_with_people(house: House) -> None:
    page, made = await opened(house.owner), (await add(house.owner, name="Main", visibility="private")).made
    viewer = house.people["viewer"]
    await page.ask(made, "share")
    await page.show_to("org")
    assert page.rows[0].visibility == "org"
    await page.share({"email": "nobody@example.org", "level": "use"})
    assert page.problems == {"email": "no_member"}
    await page.share({"email": viewer.email, "level": "all"})
    assert page.problems == {"level": "invalid"}
    await page.share({"email": f" {viewer.email.upper()} ", "level": "use"})
    assert page.shared is not None
    assert [(one.full_name, one.level) for one in page.shared.people] == [("Viewer Person", "use")]
    await page.set_level(str(viewer.user_id), "edit")
    assert page.shared.people[0].level == "edit"
    theirs = await opened(viewer)
    assert [(row.name, row.may_edit, row.is_mine) for row in theirs.rows] == [("Main", True, False)]
    assert not theirs.may_add
    await page.unshare(str(viewer.user_id))
    assert page.shared.people == []
    assert (await opened(viewer)).rows == []


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-12")
async def test_a_secret_is_deleted_once_it_was_asked(house: House) -> None:
    page, made = await opened(house.owner), (await add(house.owner, name="Main")).made
    await page.delete()
    await page.ask(made, "no such dialog")
    assert page.doing == ""
    await page.ask(made, "delete")
    page.close(False)
    await page.delete()
    await page.ask(made, "delete")
    await page.delete()
    assert (page.rows, page.saved, page.doing) == ([], "delete", "")
    with pytest.raises(NotFound):
        await page.ask(made, "edit")


@pytest.mark.req("DOM-UI-27")
async def test_the_search_finds_names_and_services(house: House) -> None:
    await add(house.owner, name="Main_key")
    await add(house.owner, "tavily", name="Web")
    page = await opened(house.owner)
    assert [row.purpose for row in page.rows] == ["openai", "tavily"]
    for text, found in (
        ("MAIN", ["Main_key"]),
        ("tavi", ["Web"]),
        ("n_k", ["Main_key"]),
        ("%", []),
        ("x", []),
    ):
        await page.set_search(text)
        assert [row.name for row in page.rows] == found, text
    await page.clear_search()
    assert (len(page.rows), page.is_cut) == (2, False)


@pytest.mark.req("DOM-UI-27")
async def test_a_vault_that_cannot_be_read_has_failed_with_an_id(house: House) -> None:
    page = page_state(VaultState, "/vault", cookie=house.owner.cookie)
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await page.load()
    await db.current().close()
    db.use(working)
    assert (page.loaded, len(page.failure)) == (False, 8)


async def test_a_handler_trusts_no_button_that_was_not_drawn(house: House) -> None:
    made = (await add(house.owner, name="Main")).made
    page = await opened(house.people["operator"])
    assert not page.may_add
    await page.ask(made, "rotate")
    for attempt in (
        page.rotate({"api_key": KEY}),
        page.edit({"name": "Mine"}),
        page.show_to("private"),
        page.share({"email": house.owner.email, "level": "edit"}),
        page.set_level(str(house.owner.user_id), "edit"),
        page.unshare(str(house.owner.user_id)),
        page.delete(),
        page.ask(made, "share"),
        add(house.people["operator"]),
    ):
        with pytest.raises(Forbidden):
            await attempt
    for unknown in ("not an id", str(new_id())):
        with pytest.raises(NotFound):
            await page.ask(unknown, "edit")
