import { isDict } from '@callspec/python'

/** The value, frozen to the bottom; maps lose `set` and `delete`. */
export function frozen<T>(value: T): T {
  if (isDict(value)) {
    for (const item of value.values()) frozen(item)
    const refuse = (): never => {
      throw new TypeError('a frozen map was changed')
    }
    return Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  }
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const item of Object.values(value)) frozen(item)
  }
  return value
}
