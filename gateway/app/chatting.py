"""Opens the language models at endpoints that the settings name."""

from contextlib import AsyncExitStack

from gateway.app.secret_files import secret_in
from gateway.settings import ChatModel
from guard.models.chat import ChatEndpoint, Endpoint, Form, Format


def opened_chat(wanted: ChatModel, form: Form, stack: AsyncExitStack) -> ChatEndpoint:
    """Return how to ask a model, closed with the stack.

    Raises SettingsError for a key file that can't be read, InvalidError for certificates that are
    none.
    """
    key = wanted.key
    if wanted.key_file is not None:
        key = secret_in(wanted.key_file, wanted.key_setting)
    endpoint = Endpoint(
        url=wanted.url,
        model=wanted.model,
        key=None if key is None else key.reveal,
        ca_file=wanted.ca_file,
        format=Format(wanted.format.value),
        deadline=wanted.seconds,
    )
    chat = ChatEndpoint(endpoint, form)
    stack.push_async_callback(chat.close)
    return chat
