"""Novel tokens of a given shape: of the same length, hyphens, underscores and digits, and nobody's word."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Collection, Iterable

from pytest_judgeaudit.corpora.renaming.words import kept, pieces
from pytest_judgeaudit.records.errors import Refused

CONSONANTS = "bcdfghjklmnpqrstvwxz"
"""Without vowels a token is no word of a natural language by accident."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TRIES = 400

_KNOWN = """
    bsd cfg cpl css csv ctl ctrl dbl dbms dns fmt ftp gpg gps grpc gtk html http https jcl jdbc jpg
    jpql json jvm ldap lst lzma mpg mqtt msg mvc mvs nbr nfs nlp num pdf pgp php png ptr pwd ref rpc
    rpg rst rtf sbr sdk sftp sms smtp snmp sql src srv ssh ssl std str svg sys tcp tls tmp tsv txt
    vsam wrk xml xslt zfs
"""
_ACRONYMS = frozenset(_KNOWN.split())


def tokens(
    identifiers: Iterable[str],
    *,
    seed: int,
    protected: Collection[str],
    taken: Collection[str],
    reserved: Callable[[str], bool],
) -> dict[str, str]:
    """
    Map identifiers in lower case to novel tokens of their shape.

    Each piece has one token everywhere, so that names with a common part keep a common part. ``taken`` are
    words and pieces that exist; ``reserved`` says whether a language takes a word for its own. Those with
    nothing to replace are left out. A token depends on the seed and its piece, and on the others only where
    they would collide. Refused: a tree with more pieces of a length than there are tokens.
    """
    names = {name: kept(name, protected) for name in sorted(identifiers)}
    used: set[str] = set()
    novel: dict[str, str] = {}

    def exists(word: str) -> bool:
        return word in taken or word in used or reserved(word)

    for name, stays in names.items():
        for (start, end), stay in zip(pieces(name), stays, strict=True):
            piece = name[start:end]
            if not stay and piece not in novel:
                novel[piece] = _novel(piece, seed, exists)
                used |= {novel[piece], novel[piece][1:]}
    return {name: _renamed(name, stays, novel) for name, stays in names.items() if not all(stays)}


def _renamed(name: str, stays: list[bool], novel: dict[str, str]) -> str:
    done, at = [], 0
    for (start, end), stay in zip(pieces(name), stays, strict=True):
        done += [name[at:start], name[start:end] if stay else novel[name[start:end]]]
        at = end
    return "".join([*done, name[at:]])


def _novel(piece: str, seed: int, exists: Callable[[str], bool]) -> str:
    digest = hashlib.blake2b(f"{seed}/{piece}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    draw = random.Random(int.from_bytes(digest, "big"))  # noqa: S311 - a name, no secret
    for letters in (CONSONANTS, _LETTERS):
        for _ in range(_TRIES):
            token = "".join(_other(draw, character, letters) for character in piece)
            # Behind a backslash the first letter may belong to an escape: the rest must be novel as well.
            if token not in _ACRONYMS and not exists(token) and not exists(token[1:]):
                return token
    raise Refused(
        f"rename: no token of {len(piece)} characters is left for {piece[:40]!a}. Protect short names."
    )


def _other(draw: random.Random, character: str, letters: str) -> str:
    if character in _LETTERS:
        return draw.choice(letters)
    return draw.choice("0123456789") if character in "0123456789" else character
