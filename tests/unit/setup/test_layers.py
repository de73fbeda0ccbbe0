"""The packages import each other in one direction, and the document shows it."""

from scripts import layers as script


def test_the_document_is_what_the_code_imports() -> None:
    text = script.FILE.read_text(encoding="utf-8")
    assert text == script.render(), "write it anew: python -m scripts.layers"


def test_every_part_of_the_project_has_a_layer() -> None:
    """Only the root of the package, which has the version, has none."""
    order = script.layers()
    found = [
        ".".join(path.relative_to(script.ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in (script.ROOT / "ctxadmin").rglob("*.py")
    ]
    assert {module for module in found if script.package_of(module, order) is None} == {"ctxadmin"}


def test_nothing_imports_from_above() -> None:
    order = script.layers()
    between = script.imports(order).between
    assert between["ctxadmin.ui", "ctxadmin.http"]
    assert not [pair for pair in between if order.index(pair[0]) > order.index(pair[1])]


def test_no_package_may_stand_beside_one_that_it_knows() -> None:
    """A colon in the contract would allow it."""
    assert not [row for row in script.contract() if ":" in row]
