/** The scorer's version: it changes whenever the same trace may get another label, verdict or cause. */
export const SCORER_VERSION = '5'

/** What a version judges otherwise than the one before it, a sentence each; `callspec rescore` prints them. */
export const SCORER_CHANGES: Readonly<Record<string, readonly string[]>> = {
  '3': [
    'A reply that our own --max-tokens cut off is blamed on setup, no longer on the model.',
    'Blamed on the server, no longer on the model: another model that answers, a prompt without the tools or the results, swallowed arguments, a stream cut without a finish reason, eaten ✿ marks, a reply that came as reasoning, and a native call of any known format left in the text.',
    'Under native, marks in a sentence and code beside prose are no call.',
    'A reply that did not end before the time-out or the size limit is truncated and ends its episode as runaway; one that its server could not read is labelled by its text. Runs that were played before hold both as failures of the way to the server.',
    'The number that an answer offers last counts, with its sign; a negated one, a range, and a list of many offer none.',
    'Words of an answer do not count where they are negated, nor digits inside of a longer number.',
    'A right answer before an end mark that the server left is a success; the mark is counted, and the server is to blame.',
    'A number in words that a role understood is odd, no longer refused by its parser.',
    'A call that the host read and made counts as parsed, though the text goes on behind it.',
  ],
  '4': [
    'Read strictly is what the format’s own reader reads without an error, under the version that the run names; repairs are made over the markers of each format.',
    'nous: a call with <tool_call> or </tool_call> inside of an argument is malformed, as the host breaks it there; the repair is quoted-marker.',
    'nous: </think> inside of an argument ends no thought.',
    'qwen: a second ✿ARGS✿ behind one ✿FUNCTION✿ is malformed, with the repair call-list; text behind the arguments, which the host drops, leaves a call well formed; ✿FUNCTION✿ without a name is not repaired.',
    'react: a reply that begins with "Action:" is malformed, no longer a text; so is a call with "Final Answer:" or a line "Observation:" in its arguments. Both are repaired.',
    'A number too large for a double is malformed where the host prints it as Infinity.',
    'Blamed on the prompt, no longer on the model: whatever fails where a prompt names no offered tool, or where the prompt of a format’s maker leaves out the calls of earlier turns.',
    'Any format: a marker that ends a call where none is open is a leaked marker.',
    'Any format: values that JSON does not have (not-a-number and its kin) are read as null where a reply is put right, so that the schema refuses them, and not as a text.',
  ],
  '5': [
    'Blamed on the server, no longer on the model: a reply without a call of which far fewer characters came than tokens were counted, unless the other replies of the row show that the server hides thoughts or makes its counts up.',
    'Blamed on the server, no longer on the model: prompts that shrink from turn to turn in most episodes of a row that mostly fail.',
    'Blamed on the server, no longer on the model: errors that come as the reply, calls without a name, several calls merged in one arguments text, replies escaped as HTML or decoded with the wrong character set, and calls left in a fence of tool_code.',
    'Blamed on setup, no longer on the model: what --stops off let go on after a stop word, and episodes that --max-calls stopped before the calls of the reference plan and an answer could be made.',
    'react: keywords in bold (**Action:**) are read with a repair, and blamed on the parser.',
    'pythonic, llama-4: a call that the format itself reads is no longer a call in another format.',
    'Token counts that are always the same no longer blame the server for a wrong answer.',
    'A reply that our own --timeout cut off while new text was coming is blamed on setup, one of which nothing came any more on the server; only one that repeats itself or reaches the size limit on the model.',
    'An answer on which a regular expression of the suite takes longer than a second is blamed on setup.',
  ],
}

/** The sentences of all versions after the given one; none for one that is not known. */
export function scorerChangesSince(version: string): readonly string[] {
  const since = Number(version)
  return Object.entries(SCORER_CHANGES).flatMap(([later, sentences]) => (Number(later) > since ? sentences : []))
}
