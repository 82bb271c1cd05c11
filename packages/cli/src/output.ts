/** Readable on light and dark terminals; never the only carrier of a meaning. */
export type Style = 'red' | 'green' | 'yellow' | 'bold' | 'dim'

/** Escape codes that begin and end a style (ECMA-48, SGR). `node:util` has them, too, but takes a millisecond to load. */
const SGR: Readonly<Record<Style, readonly [begin: number, end: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  bold: [1, 22],
  dim: [2, 22],
}

/** The output of a command. Only results go to stdout; progress and warnings go to stderr. */
export interface Output {
  /** Writes this text to stdout, without a line break. */
  write(text: string): void
  /**
   * Writes a text of a model, a template or a file to stdout: unchanged into a pipe; on a terminal with control and hidden characters escaped
   * and a line break at its end.
   */
  verbatim(text: string): void
  line(text?: string): void
  /** Resolves when stdout has taken what was written. A large text is written in pieces, and waits for each. */
  drained(): Promise<void>
  /** Writes `callspec: warning: …` to stderr. */
  warn(message: string): void
  /** Writes a line to stderr, such as the path of a written file. Quoted texts cannot touch the terminal. */
  note(message: string): void
  /**
   * Shows progress on a terminal: one line of stderr, rewritten in place; under `CI`, where a log is made of it, a new line every ten
   * seconds. Shows nothing in a pipe, unless `inPipes`: then lines as under `CI`.
   */
  progress(message: string, settings?: { readonly inPipes?: boolean }): void
  /** Removes the progress line. */
  progressDone(): void
  /** Whether progress is shown: stderr is a terminal. */
  readonly showsProgress: boolean
  /** `text` in colour if stdout is a terminal that wants colour. */
  paint(style: Style, text: string): string
  /** Whether stdout is a terminal. Tables use plain ASCII elsewhere. */
  readonly isTerminal: boolean
  /** The width of lines: `COLUMNS`, else that of the terminal, else 80. */
  readonly columns: number
  /** The width at which sentences are wrapped: that of the terminal or of `COLUMNS`; Infinity in a pipe. */
  readonly wrapAt: number
}

/** `process.stdout` is one. */
export interface Sink {
  write(text: string): unknown
  /** Resolves when no text waits for a slow reader. Absent: none ever does. */
  readonly drained?: () => Promise<void>
  readonly isTTY?: boolean
  readonly columns?: number
}

const PROGRESS_INTERVAL_MS = 10_000

/** A terminal that reports less does not know its width. */
const MIN_COLUMNS = 40

export interface OutputParts {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Milliseconds; only differences count. */
  readonly clock: () => number
}

/** Colour follows NO_COLOR, FORCE_COLOR and whether stdout is a terminal. */
export function createOutput({ stdout, stderr, environment, clock }: OutputParts): Output {
  const isTerminal = stdout.isTTY === true
  const coloured = wantsColour(environment, isTerminal)
  // Read only for progress: a stream that is not written to need not be opened.
  const showsProgress = (): boolean => stderr.isTTY === true
  const isLogged = isSet(environment['CI'])
  const isPlain = isSet(environment['NO_COLOR']) || environment['TERM'] === 'dumb'
  // Width of the progress line; 0 for none.
  let shown = 0
  let lastProgress = clock()

  const progressDone = (): void => {
    if (shown > 0) stderr.write(isPlain ? `\r${' '.repeat(shown)}\r` : '\r\u001b[K')
    shown = 0
  }
  const note = (message: string): void => {
    progressDone()
    stderr.write(`${inert(message)}\n`)
  }
  const progress: Output['progress'] = (message, { inPipes = false } = {}) => {
    if (!showsProgress() && !inPipes) return
    if (showsProgress() && !isLogged) {
      const width = roughWidth(message)
      stderr.write(isPlain ? `\r${message}${' '.repeat(Math.max(0, shown - width))}` : `\r\u001b[K${message}`)
      shown = isPlain ? Math.max(shown, width) : 1
      return
    }
    if (clock() - lastProgress < PROGRESS_INTERVAL_MS) return
    lastProgress = clock()
    stderr.write(`${message}\n`)
  }
  const write = (text: string): void => {
    progressDone()
    if (text !== '') stdout.write(text)
  }
  return {
    isTerminal,
    columns: lineWidth(stdout, environment),
    wrapAt: isTerminal || isWidth(environment['COLUMNS']) ? lineWidth(stdout, environment) : Infinity,
    write,
    verbatim: (text) => {
      if (!isTerminal) write(text)
      else write(text === '' || text.endsWith('\n') ? inert(text) : `${inert(text)}\n`)
    },
    line: (text = '') => {
      progressDone()
      stdout.write(`${text}\n`)
    },
    drained: () => stdout.drained?.() ?? Promise.resolve(),
    warn: (message) => note(`callspec: warning: ${message}`),
    note,
    progress,
    progressDone,
    get showsProgress() {
      return showsProgress()
    },
    paint: (style, text) => (coloured ? styled(style, text) : text),
  }
}

/** At least the width of a text. The exact measure is loaded only for tables. */
function roughWidth(text: string): number {
  return text.length + (text.match(/[\u1100-\uffff]/g)?.length ?? 0)
}

function styled(style: Style, text: string): string {
  const [begin, end] = SGR[style]
  return `\u001b[${begin}m${text}\u001b[${end}m`
}

/** `COLUMNS` counts first, also in a pipe; then the terminal. */
function lineWidth({ isTTY, columns }: Sink, environment: OutputParts['environment']): number {
  const wanted = environment['COLUMNS']
  if (isWidth(wanted)) return Math.max(MIN_COLUMNS, Number(wanted))
  return isTTY === true ? Math.max(MIN_COLUMNS, columns ?? 80) : 80
}

function isWidth(value: string | undefined): boolean {
  return Number.isInteger(Number(value)) && Number(value) > 0
}

function wantsColour(environment: OutputParts['environment'], isTerminal: boolean): boolean {
  if (isSet(environment['NO_COLOR'])) return false
  const forced = environment['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && environment['TERM'] !== 'dumb'
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}

/** Texts of models and harnesses must not move the cursor, colour the screen, reverse the reading direction or hide on a terminal. */

// Controls except line feed and tab, DEL and C1; soft hyphen; bidi marks, embeddings, overrides and isolates;
// zero-width space, word joiner and friends; line and paragraph separator; byte order mark; interlinear marks; tags.
// U+200C and U+200D stay: scripts and emoji need them.
const HIDDEN_CHARACTERS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/** Escapes control, invisible and direction-changing characters and lone surrogates as `\\uXXXX`. */
export function inert(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, unicodeEscape)
}

/** `inert` on one line with visible white space: `␣` for a space, `⇥` for a tab, `⏎` for a line break. */
export function visibleWhiteSpace(text: string): string {
  return inert(text)
    .replace(/ /g, () => '␣')
    .replace(/\t/g, () => '⇥')
    .replace(/\n/g, () => '⏎')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, unicodeEscape)
}

/**
 * `inert` on one line (`\
 * `, `\\t` escaped), cut to `limit` characters with `…` for the rest.
 */
export function quotedLine(text: string, limit = 60): string {
  const characters = [...text.slice(0, limit * 2 + 2)]
  const cut = characters.length > limit || text.length > limit * 2 + 2
  const kept = cut ? [...characters.slice(0, limit - 1), '…'].join('') : characters.join('')
  return inert(kept)
    .replace(/\n/g, () => '\\n')
    .replace(/\t/g, () => '\\t')
}

/** Escapes lone surrogates in JSON, which occur only in its strings and cannot be written in UTF-8. */
export function escapeLoneSurrogates(json: string): string {
  return json.replace(/\p{Surrogate}/gu, unicodeEscape)
}

function unicodeEscape(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`
}

/** A quoted message within a sentence: without its full stop. */
export function clause(text: string): string {
  return text.replace(/(?<![.])[.]$/, '')
}

/** A quoted message, such as that of a server, at the end of a sentence: with exactly one full stop. */
export function sentence(text: string): string {
  return /[.!?…。！？]["'”’)]?$/.test(text) ? text : `${text}.`
}

/** One word of a shell command line, quoted if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, () => `'\\''`)}'`
}
