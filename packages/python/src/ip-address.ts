/** Whether Python's `ipaddress` reads the text as an IPv4 address: four decimal numbers without leading zeros. */
export function isIPv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) < 256)
}

/**
 * Whether Python's `ipaddress` reads the text as an IPv6 address: eight groups of up to four hexadecimal digits, or fewer
 * around one `::`. The last two groups may be written as an IPv4 address, and a scope may follow a `%`.
 */
export function isIPv6(text: string): boolean {
  const percent = text.indexOf('%')
  const address = percent < 0 ? text : text.slice(0, percent)
  if (percent >= 0 && (percent === text.length - 1 || text.includes('%', percent + 1))) return false
  const halves = address.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half, index) => groupsIn(half, index === halves.length - 1))
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  return halves.length === 1 ? groups.length === 8 : groups.length < 8
}

function groupsIn(half: string, isLast: boolean): readonly string[] {
  if (half === '') return []
  const groups = half.split(':')
  return isLast && isIPv4(groups.at(-1) ?? '') ? [...groups.slice(0, -1), '0', '0'] : groups
}
