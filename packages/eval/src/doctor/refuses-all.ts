/** Statuses of a server that takes no request as it is: other address, other key, other model. */
export const REFUSES_ALL: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 401, 402, 403, 404, 405])
