"""The parts of Qwen-Agent that are asked, under one name in every version; None where a version lacks one."""

import importlib
import time
import traceback

import qwen_agent
from qwen_agent.agent import Agent
from qwen_agent.agents import Assistant, FnCallAgent, ReActChat
from qwen_agent.agents import assistant, fncall_agent, keygen_strategies, react_chat
from qwen_agent.agents.keygen_strategies.split_query import SplitQuery
from qwen_agent.llm import base, function_calling
from qwen_agent.llm.oai import TextChatAtOAI
from qwen_agent.llm.schema import ContentItem, Message
from qwen_agent.memory import Memory
from qwen_agent.tools import base as tools_base, simple_doc_parser
from qwen_agent.tools.base import BaseTool
from qwen_agent.utils import utils
from qwen_agent.utils.tokenization_qwen import tokenizer

__all__ = [
    'Agent', 'Assistant', 'BaseTool', 'ContentItem', 'FnCallAgent', 'Memory', 'Message', 'ReActChat', 'SLEEPS',
    'TextChatAtOAI', 'VERSION', 'assistant', 'base', 'fncall_agent', 'function_calling', 'keygen_strategy', 'nous',
    'qwen', 'react_chat', 'simple_doc_parser', 'tokenizer', 'tools_base', 'utils'
]

VERSION = qwen_agent.__version__


def optional(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


nous = optional('qwen_agent.llm.fncall_prompts.nous_fncall_prompt')
# Until v0.0.7 the format was part of the model class.
qwen = optional('qwen_agent.llm.fncall_prompts.qwen_fncall_prompt') or function_calling


def keygen_strategy(name):
    return SplitQuery if name == 'SplitQuery' else getattr(keygen_strategies, name)


# Waiting is part of the answer of one operation, and otherwise a waste of time.
SLEEPS = []
time.sleep = SLEEPS.append

# A stack says where Qwen-Agent is installed.
traceback.format_tb = lambda *args, **kwargs: ['<TRACEBACK>\n']
