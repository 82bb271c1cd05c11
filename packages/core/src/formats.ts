/*
 * One format by its name, without loading the others, and in which of its versions a reply is read.
 */
export { FORMAT_IDS, loadFormat } from './formats/load-format.ts'
export { otherReadings, versionFor } from './identify/versions.ts'
export type { OtherReading } from './identify/versions.ts'
