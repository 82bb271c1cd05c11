"""Translates between the callspec protocol and Qwen-Agent."""
