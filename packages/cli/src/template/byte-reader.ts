import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ByteReader } from '@callspec/template/source'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

const CHUNK = 1 << 20

/** @throws UsageError for a file that cannot be opened, or is not a regular file */
export function openByteReader(path: string): ByteReader {
  const file = open(path)
  const { size } = fstatSync(file)
  let buffer = Buffer.alloc(0)
  let [offset, next] = [0, 0]
  const left = (): number => size - next + (buffer.length - offset)
  const fill = (length: number): void => {
    const kept = buffer.subarray(offset)
    const larger = Buffer.alloc(Math.max(length, CHUNK))
    kept.copy(larger)
    const read = readSync(file, larger, kept.length, larger.length - kept.length, next)
    next += read
    buffer = larger.subarray(0, kept.length + read)
    offset = 0
  }
  const take = (length: number): Buffer | null => {
    if (length > left()) return null
    if (buffer.length - offset < length) fill(length)
    const taken = buffer.subarray(offset, offset + length)
    offset += length
    return taken.length === length ? taken : null
  }
  const skip = (length: number): boolean => {
    if (length > left()) return false
    const buffered = Math.min(length, buffer.length - offset)
    offset += buffered
    next += length - buffered
    return true
  }
  const takeText = (length: number): string | null => take(length)?.toString('utf8') ?? null
  return { left, take, takeText, skip, close: () => closeSync(file) }
}

function open(path: string): number {
  try {
    const file = openSync(path, 'r')
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    const code = systemCode(error)
    throw new UsageError(
      code === 'ENOENT' ? `${path}: no such file.` : `${path}: cannot be read (${code ?? messageOf(error)})`,
    )
  }
  throw new UsageError(`${path}: is not a regular file. A GGUF is read only from one.`)
}
