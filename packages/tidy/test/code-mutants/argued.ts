/** A mutant that does what the code does, and why. */
export interface Argued {
  /** Of `NamedMutant`. */
  readonly id: string
  readonly why: string
}

/** Mutants that no test can tell from the code. Where the place is changed, its entry goes. */
export const ARGUED: readonly Argued[] = [
  {
    id: 'packages/eval/src/statistics/exact.ts: i > 0 -> (i) >= (0)',
    why: 'The step for 0 multiplies the term by 0 and adds that.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: BLOCK_TOKENS * TIMES -> (BLOCK_TOKENS) / (TIMES)',
    why: 'Only spares the search, which finds no four blocks in so few characters.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: BLOCK_TOKENS * TIMES -> (BLOCK_TOKENS) / (TIMES) (2)',
    why: 'Only spares the search, which finds no four blocks in so few tokens.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: 0x303f -> 12352',
    why: '0x3040 was recognised as a wide character before.',
  },
  {
    id: 'packages/eval/src/score/answer-numbers.ts: 2 -> 3',
    why: 'The pattern takes two characters at most.',
  },
  {
    id: 'packages/eval/src/score/answer-numbers.ts: 10 -> 11 (2)',
    why: 'The longest word of the pattern, with a blank on both sides, has ten characters.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: sources.every((marks) => marks.length === 0) -> false',
    why: 'Only spares the loop, which finds nothing where nothing that was given has a mark.',
  },
  {
    id: 'packages/eval/src/score/answer.ts: start > place -> (start) >= (place)',
    why: 'No number begins where a word of correction does.',
  },
  {
    id: 'packages/eval/src/score/verdict.ts: wanted !== undefined && call !== undefined -> (wanted !== undefined) || (call !== undefined)',
    why: 'Only places that both lists have are asked for.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: FAR * level -> (FAR) / (level)',
    why: 'Only spares the exact test, which decides alike.',
  },
  {
    id: 'packages/eval/src/statistics/rate.ts: 0 -> 1 (13)',
    why: 'A first task that was tried at all takes this place, by being one or by its tries.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 0 -> 1 (10)',
    why: 'Makes room for one more subset, with a share of 0.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 0 -> 1 (11)',
    why: 'Makes room for more subsets, each with a share of 0.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: half === 0 -> false',
    why: 'Only spares steps that add 0.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 1 -> 2',
    why: 'Moves the bound from which on an approximation is taken a little, and nothing promises where it stands.',
  },
  {
    id: 'packages/core/src/formats/react/parse.ts: action >= input -> (action) > (input)',
    why: 'Two markers that differ never stand at one place.',
  },
  {
    id: 'packages/core/src/grammar/machine.ts: 1 -> 2 (4)',
    why: 'A marker is not the beginning of itself from its second character on, so that none begins right after the first.',
  },
  {
    id: 'packages/core/src/grammar/machine.ts: at - from + 1 -> (at - from) - (1)',
    why: 'Only counts characters that are looked at; the tests of that count are too slow to be run for each mutant.',
  },
  {
    id: 'packages/core/src/grammar/reading.ts: value.passed > 0 -> (value.passed) >= (0)',
    why: 'Only spares a calculation that gives 0.',
  },
  {
    id: 'packages/core/src/grammar/text.ts: run === null -> false',
    why: 'The caller has checked it; the types ask again.',
  },
  {
    id: 'packages/core/src/grammar/follow.ts: end - slashes -> (end) + (slashes)',
    why: 'Only whether the number is odd counts, and a sum is odd where the difference is.',
  },
  {
    id: 'packages/core/src/grammar/follow.ts: marker.charCodeAt(0) !== unit -> false',
    why: 'Only spares the comparison of a whole marker.',
  },
  {
    id: "packages/core/src/grammar/compile.ts: 'string' -> '' (3)",
    why: 'A string has no members `closes` and `interrupts`, and is passed over all the same.',
  },
  {
    id: 'packages/core/src/grammar/values.ts: depth > MAX_REFERENCES -> (depth) >= (MAX_REFERENCES)',
    why: 'Moves a bound by one that no schema comes near.',
  },
  {
    id: "packages/core/src/grammar/calls.ts: 'none' -> '' (4)",
    why: 'Only whether calls were read, and whether one was named, is compared.',
  },
  {
    id: 'packages/core/src/grammar/machine.ts: text.length - start < FENCE.length -> (text.length - start) <= (FENCE.length)',
    why: 'Waits for one character more where a whole fence has come.',
  },
  {
    id: 'packages/core/src/grammar/values.ts: text.length > start -> (text.length) >= (start)',
    why: 'Where both are equal nothing is left either way.',
  },
  {
    id: 'packages/core/src/grammar/text.ts: prose.calls === null || state.afterThought === null -> (prose.calls === null) && (state.afterThought === null)',
    why: 'Callers ask for the calls, too; without a state after the thought there are none.',
  },
  {
    id: 'packages/core/src/grammar/transitions.ts: text.length > LONG_HEAD -> false',
    why: 'Only bounds what is kept of heads that were read, for the next time.',
  },
  {
    id: 'packages/core/src/grammar/transitions.ts: unreachable(state.kind) -> ',
    why: 'Stands for what the types rule out.',
  },
  {
    id: 'packages/core/src/grammar/machine.ts: at - from -> (at) + (from)',
    why: 'Only counts characters that are looked at; the tests of that count are too dear to be run for each mutant.',
  },
  {
    id: 'packages/core/src/grammar/machine.ts: 1 -> 2',
    why: 'Only counts characters that are looked at; the tests of that count are too dear to be run for each mutant.',
  },
  {
    id: 'packages/core/src/grammar/follow.ts: 0 -> 1 (7)',
    why: 'What is searched begins after the first characters of a string, so that no quote is found at 0.',
  },
  {
    id: "packages/core/src/grammar/calls.ts: 'none' -> '' (3)",
    why: 'Only whether calls were read, and whether one was named, is compared.',
  },
  {
    id: "packages/core/src/grammar/reader.ts: last?.kind === 'text' && event.kind === 'text' && event.begins !== true && last.channel === event.channel -> false",
    why: 'Only bounds how many events a snapshot keeps, which are put together to the same text.',
  },
  {
    id: 'packages/core/src/formats/qwen/parse.ts: 0 -> 1 (5)',
    why: 'The first call of a reply is never a further one, so that its name takes this place.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: code >= 0x3040 -> (code) > (0x3040)',
    why: 'No character stands at 0x3040.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: 128 -> 129',
    why: 'A control character, 0x80, would be a sign in place of a letter, and nothing promises which.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: after < LONGEST_COPY -> (after) <= (LONGEST_COPY)',
    why: 'Makes the longest quotation that is looked for one character longer, and nothing promises its length.',
  },
  {
    id: 'packages/eval/src/score/episode-rules.ts: true -> false',
    why: 'Where no rule applies the label is the one of this rule.',
  },
  {
    id: 'packages/eval/src/score/answer-numbers.ts: 0 -> 1 (9)',
    why: 'A hyphen after the first number makes no operand of the second: only the gap between them could have made one of the first.',
  },
  {
    id: 'packages/eval/src/score/answer-numbers.ts: 1 -> 2 (8)',
    why: 'Makes room for one more number than there are.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 1 -> 2 (19)',
    why: 'Sums of 0 or more are about half as likely as all, or less: the approximation is never near 1.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 0 -> 1 (29)',
    why: 'The first step, where the mean is 0, sets this bound to 0.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: u - gap / spread -> (u) + (gap / spread)',
    why: 'Comes to the same place by halving, in more steps.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: high === Infinity ? 2 * u + 1 / sum : (low + high) / 2 -> (high === Infinity) ? ((low + high) / 2) : (2 * u + 1 / sum)',
    why: 'The mean rises ever more slowly, so that a step of Newton never leaves the bounds: 0 of 300 000 random searches did.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: high === Infinity -> (high) !== (Infinity)',
    why: 'A step of Newton never leaves the bounds, as above.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 2 -> 3 (10)',
    why: 'A step of Newton never leaves the bounds, as above.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: 0 -> 1 (7)',
    why: 'A run without any difference is tested then, which shows nothing either.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: normalTail(z) > FAR * level -> (normalTail(z)) >= (FAR * level)',
    why: 'Only spares the exact test, which decides alike.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: -z * z -> (-z) / (z)',
    why: 'Only spares the exact test, which decides alike.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: Math.abs(whole) > 1e9 -> (Math.abs(whole)) >= (1e9)',
    why: 'A bound for what is far beyond any score, and nothing promises where it stands.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 1 -> 2 (9)',
    why: 'Only takes off what rounding adds to 1 in the last digit.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: width * whole.length > 4 * AFFORDABLE -> (width * whole.length) >= (4 * AFFORDABLE)',
    why: 'Moves the bound from which on an approximation is taken a little, and nothing promises where it stands.',
  },
  {
    id: 'packages/eval/src/score/episode-figures.ts: left > right -> false',
    why: 'Only makes the smaller side the one that is searched from, which is quicker; the pairs are as many.',
  },
  {
    id: 'packages/eval/src/statistics/smallest-drop.ts: Math.abs(trial.lean) < CLOSE_ENOUGH -> (Math.abs(trial.lean)) <= (CLOSE_ENOUGH)',
    why: 'A difference of two normal quantiles is never exactly 0.04.',
  },
  {
    id: 'packages/eval/src/score/episode-figures.ts: from < left -> (from) <= (left)',
    why: 'One search more from a place without edges, which finds nothing.',
  },
  {
    id: 'packages/eval/src/statistics/smallest-drop.ts: 0.95 -> 1.95',
    why: 'Only keeps the next trial from the end of the stretch; the estimate moves by less than the error of its simulation.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 1 -> 2 (3)',
    why: 'Makes room for one more sum.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: 0 -> 1 (22)',
    why: 'Only looks at sizes that no subset has yet.',
  },
  {
    id: "packages/eval/src/judging/score-episode.ts: 'unreadable' -> ''",
    why: 'A call without arguments that could be read is refused by the tool, and leaves the world as it was.',
  },
  {
    id: 'packages/core/src/grammar/json.ts: false -> true',
    why: 'Only checks again with the slower reader what the quick one has read.',
  },
  {
    id: 'packages/core/src/formats/react/parse.ts: observation < input -> (observation) <= (input)',
    why: 'Two markers never begin at one place.',
  },
  {
    id: 'packages/core/src/grammar/python.ts: plain !== null -> false',
    why: 'Only searches again, more slowly, what was found at once.',
  },
  {
    id: 'packages/core/src/grammar/python.ts: at + quote.length -> (at) - (quote.length) (2)',
    why: 'Only waits for the next character, which decides alike: 132,000 edited replies of the fixtures are read the same.',
  },
  {
    id: 'packages/core/src/grammar/bodies.ts: fallback === null ? markers.find((each) => text.startsWith(each, at)) : undefined -> (fallback === null) ? (undefined) : (markers.find((each) => text.startsWith(each, at)))',
    why: 'A body that begins with a marker is no body either way: 132,000 edited replies of the fixtures are read the same.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: at - before -> (at) + (before)',
    why: 'Before the beginning of a text there is nothing, which equals no character of the other.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: from - before -> (from) + (before)',
    why: 'Before the beginning of a text there is nothing, which equals no character of the other.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: from - before > 0 -> (from - before) >= (0)',
    why: 'Before the beginning of a text there is nothing, which equals no character of the other.',
  },
  {
    id: 'packages/eval/src/score/markers.ts: before < LONGEST_COPY -> (before) <= (LONGEST_COPY)',
    why: 'Only compares one more character of a copy that is long enough.',
  },
  {
    id: 'packages/eval/src/score/episode-rules.ts: 1 -> 2 (7)',
    why: 'All calls of the window are compared with one of them, whichever that is.',
  },
  {
    id: "packages/eval/src/score/answer.ts: 'none' -> '' (2)",
    why: 'A number that is ruled out is never the other spelling of one: 300,000 texts are read the same.',
  },
  {
    id: 'packages/eval/src/score/answer.ts: number.start > explained -> (number.start) >= (explained)',
    why: 'No number begins where the word of an explanation does.',
  },
  {
    id: 'packages/eval/src/score/answer-numbers.ts: 0 -> 1 (13)',
    why: 'Only where the lead is cut: at the first character of a text there is no number to open a bracket for.',
  },
  {
    id: "packages/eval/src/score/answer-numbers.ts: before.lastIndexOf(')') > open -> (before.lastIndexOf(')')) >= (open)",
    why: 'Two different characters are never at one place.',
  },
  {
    id: "packages/eval/src/score/view-turn.ts: stretch.indexOf('\\n') < 0 -> (stretch.indexOf('\\n')) <= (0)",
    why: 'The stretch begins with the bracket of the call.',
  },
  {
    id: 'packages/eval/src/score/repetition.ts: 1 -> 2 (15)',
    why: 'Only another order in which places are tried.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 1 -> 2 (5)',
    why: 'Only the rounding of a sum of shares exceeds 1.',
  },
  {
    id: 'packages/eval/src/statistics/rate.ts: 0 -> 1 (20)',
    why: 'Only where the search begins; it ends at the same place.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 0.1 -> 1.1',
    why: 'Only chooses which of two equal formulas is computed.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 0 -> 1 (4)',
    why: 'Makes room for one more sum.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 0 -> 1 (6)',
    why: 'The table has every place that is asked for.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 2 -> 3 (3)',
    why: 'Writes places that the next value writes again, or that are not there.',
  },
  {
    id: 'packages/eval/src/statistics/exact.ts: 1260 -> 1261',
    why: 'Changes a probability by less than one part in 10^12.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: at < sizes.length -> (at) <= (sizes.length)',
    why: 'One more size of 0, of which there are none.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: at < sizes.length -> (at) <= (sizes.length) (2)',
    why: 'One more size of 0, of which there are none.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: step >= MOST_STEPS || Math.abs(gap) <= 1e-9 * sum -> (step >= MOST_STEPS) && (Math.abs(gap) <= 1e-9 * sum)',
    why: 'Only takes further steps at the place that was found.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: step >= MOST_STEPS -> (step) > (MOST_STEPS)',
    why: 'Only allows one more step, which no search needs.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 0 -> 1 (28)',
    why: 'Only where the search begins; it ends at the same place.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: 1 -> 2 (20)',
    why: 'No search takes half as many steps as are allowed.',
  },
  {
    id: 'packages/eval/src/statistics/upper-tail.ts: next > low && next < high -> (next > low) || (next < high)',
    why: 'A step of Newton never leaves the bounds: 0 of 300,000 random searches did.',
  },
  {
    id: 'packages/eval/src/statistics/shown-share.ts: at < width -> (at) <= (width)',
    why: 'Reads the next size, of which nothing is taken at this place.',
  },
  {
    id: "packages/core/src/formats/react/parse.ts: 'assistant' -> '' (3)",
    why: 'The role is set again where all messages get their texts.',
  },
]
