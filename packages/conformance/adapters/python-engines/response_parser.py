"""The operation `response_template` (docs/protocol.md) by the reader of transformers, of which vLLM has a copy."""


def answer_of(parser_class):
    """Answers with `ResponseParser`: the message, and of a stream the events of each piece."""
    def answer(asked):
        parser = parser_class(asked['template'], prefix=asked.get('prefix'), tools=asked.get('tools'))
        chunks = asked.get('chunks', [asked.get('text')])
        events = [parser.initial_events]
        for chunk in chunks:
            events.append(parser.feed(chunk))
        message, last = parser.finalize()
        events.append(last)
        return {'message': message, **({'events': [list(map(event_of, each)) for each in events]} if 'chunks' in asked else {})}
    return answer


def event_of(event):
    kind, field = event['type'].removeprefix('region_'), event['field']
    if kind == 'chunk':
        return [kind, field, event['text'], *([True] if event['dirty'] else [])]
    return [kind, field] if kind == 'open' else [kind, field, event['value']]
