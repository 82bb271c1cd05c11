import { failed, text } from './tool.ts'
import type { Tool } from './tool.ts'
import { CONTACTS, PAGES, TICKETS } from './world.ts'

export const kvGet: Tool = (args, world) => {
  const key = text(args, 'key')
  const value = world.kv.get(key)
  return value === undefined ? failed('not_found', `no key ${key}`) : { result: { value } }
}

export const kvSet: Tool = (args, world) => ({
  result: { ok: true },
  world: { ...world, kv: new Map(world.kv).set(text(args, 'key'), text(args, 'value')) },
})

export const kvList: Tool = (args, world) => ({
  result: { keys: [...world.kv.keys()].filter((key) => key.startsWith(text(args, 'prefix'))).sort() },
})

export const fsList: Tool = (args, world) => {
  const path = text(args, 'path')
  const folder = path.endsWith('/') ? path : `${path}/`
  const files = [...world.files.keys()].filter((name) => name.startsWith(folder)).sort()
  return files.length === 0 ? failed('not_found', `no such directory ${path}`) : { result: { files } }
}

export const fsRead: Tool = (args, world) => {
  const path = text(args, 'path')
  const content = world.files.get(path)
  return content === undefined ? failed('not_found', `no such file ${path}`) : { result: { content } }
}

export const fsWrite: Tool = (args, world) => {
  const content = text(args, 'content')
  return {
    result: { ok: true, bytes: new TextEncoder().encode(content).length },
    world: { ...world, files: new Map(world.files).set(text(args, 'path'), content) },
  }
}

/** The first call for an id is told that the backend is down; ids that end in 2 are told so twice. */
export const flakyLookup: Tool = (args, world) => {
  const id = text(args, 'id')
  const before = world.lookups.get(id) ?? 0
  const after = { ...world, lookups: new Map(world.lookups).set(id, before + 1) }
  const ticket = TICKETS.get(id)
  if (before < (id.endsWith('2') ? 2 : 1)) {
    return { ...failed('unavailable', 'temporarily unavailable, retry'), world: after }
  }
  if (ticket === undefined) return { ...failed('not_found', `no ticket ${id}`), world: after }
  return { result: { id, status: ticket.status, owner: ticket.owner }, world: after }
}

export const webSearch: Tool = () => failed('503', 'service permanently disabled in this environment')

export const fetchPage: Tool = (args) => {
  const url = text(args, 'url')
  const page = PAGES.get(url)
  return page === undefined ? failed('not_found', `no page ${url}`) : { result: { text: page } }
}

export const sendMessage: Tool = (args, world) => ({
  result: { ok: true },
  world: { ...world, sent: [...world.sent, { to: text(args, 'to'), body: text(args, 'body') }] },
})

export const findContact: Tool = (args) => {
  const name = text(args, 'name').toLowerCase()
  return { result: { matches: CONTACTS.filter((contact) => contact.name.toLowerCase().includes(name)) } }
}
