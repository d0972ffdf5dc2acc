"""The ids of everything that can be pressed, sent or typed; all of them begin with ``gate:``."""

from __future__ import annotations

import re
from typing import Any

ANY = re.compile(r"")

APPROVE = "gate:approve"
DENY = "gate:deny"
STOP = "gate:stop"
VIEW = "gate:view"
APPROVE_WITH_COMMENT = "gate:approve_comment"
APPROVE_MORE = "gate:approve_more"
PAGE_BACK = "gate:page:back"
PAGE_NEXT = "gate:page:next"
FILE = "gate:file"

DENY_FORM = "gate:form:deny"
APPROVE_FORM = "gate:form:approve"
APPROVE_MORE_FORM = "gate:form:approve_more"
EDIT = "gate:edit"
EDIT_FORM = "gate:form:edit"
RAN = "gate:ran"
NOT_RUN = "gate:not_run"
RAN_FORM = "gate:form:ran"
NOT_RUN_FORM = "gate:form:not_run"
DENY_ALL = "gate:burst:deny"
FREEZE_SESSION = "gate:burst:freeze"
DENY_ALL_FORM = "gate:form:deny_all"
FREEZE_FORM = "gate:form:freeze"
NOTHING = "gate:form:none"

REASON = "gate:reason"
COMMENT = "gate:comment"
FIELD = "gate:field"

COMMAND = "/gate"
EVENT_TYPE = "gate_hold"
BURST_EVENT = "gate_burst"

UNPARSED: dict[str, Any] = {"parse": "none", "link_names": False}
"""Said with every message: chat.update, unlike chat.postMessage, looks for names and links by itself."""
