/**
 * Words that stand for one piece of a conversation each. They are all of one case, since templates change the case of roles
 * and types, contain no other of them, and stand in no template.
 */
export const MARK = {
  system: 'SYSTEMQZ',
  lateSystem: 'LATEQZ',
  developer: 'DEVELOPERQZ',
  user: 'TRONDHEIMQZ',
  second: 'BODOEQZ',
  answer: 'PLATFORMQZ',
  answerTwo: 'CARRIAGEQZ',
  argument: 'STATIONQZ',
  argumentTwo: 'HARBOURQZ',
  result: 'DEPARTUREQZ',
  resultTwo: 'ARRIVALQZ',
  text: 'BESIDEQZ',
  reasoning: 'PONDERQZ',
  reasoningTwo: 'MUSINGQZ',
  partOne: 'HALFONEQZ',
  partTwo: 'HALFTWOQZ',
  left: 'LEFTQZ',
  right: 'RIGHTQZ',
} as const
