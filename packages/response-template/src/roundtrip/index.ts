export { conversationCases } from './conversation-cases.ts'
export { roundTripCases } from './messages.ts'
export type { RoundTripCall, RoundTripCase } from './messages.ts'
export { roundTrip, turnEnd } from './round-trip.ts'
export type {
  MessagePart,
  RenderPrompt,
  RoundTrip,
  RoundTripVerdict,
  TemplatePair,
  TurnEnd,
  WrittenReply,
} from './round-trip.ts'
