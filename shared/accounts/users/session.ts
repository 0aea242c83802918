import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userIdPattern, userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { sessionRows } from './rows.ts'
import { findUser } from './user.ts'

/** spec.md, Session. */
export const sessionSeconds = 30 * 86_400

export interface NewSession {
  userId: string
  /**
   * The user's access epoch at the time of the proof: the session is void if that epoch has ended. Default: the current
   * one.
   */
  accessEpoch?: number
  device?: Device
}

/** The client of a sign-in, so that people can tell their sessions apart. */
export interface Device {
  /** The client's User-Agent. */
  userAgent?: string | undefined
  /** The client's address. */
  address: string
}

/** The maximum stored length of a User-Agent; browsers send shorter ones. */
const maxAgentLength = 256

/** Starts a session. @returns the cookie's value, `<userId>.<token>` */
export async function startSession(
  { table }: { table: Table },
  { userId, accessEpoch, device }: NewSession,
): Promise<string> {
  const token = randomToken()
  const now = Date.now()
  const epoch = accessEpoch ?? (await findUser(table, userId))?.accessEpoch
  if (epoch === undefined) throw new TypeError('a session needs a user')
  const session = {
    id: newId(sessionRows.id),
    accessEpoch: epoch,
    createdAt: isoOf(now),
    ...(device !== undefined && {
      address: device.address,
      userAgent: device.userAgent?.slice(0, maxAgentLength),
    }),
  }
  const expiresAt = epochSeconds(now) + sessionSeconds
  const sk = sessionRows.sk({ tokenHash: await sha256Hex(token) })
  await userStore(table, userId).put(sk, sessionRows.attributes(session, { expiresAt }))
  return `${userId}.${token}`
}

/** Ends the session of a cookie, if the cookie is valid. */
export async function endSession(
  { table }: { table: Table },
  { cookie }: { cookie: string },
): Promise<void> {
  const session = await readSessionCookie(cookie)
  if (session !== undefined) await userStore(table, session.userId).delete(sessionRows.sk(session))
}

/**
 * Returns the user and token in a session cookie, not verified; undefined for a cookie that the platform did not
 * set.
 */
export async function readSessionCookie(
  value: string,
): Promise<{ userId: string; tokenHash: string } | undefined> {
  const dot = value.lastIndexOf('.')
  const userId = value.slice(0, Math.max(0, dot))
  const token = value.slice(dot + 1)
  if (!userIdPattern.test(userId) || !/^[\w-]{43}$/.test(token)) return undefined
  return { userId, tokenHash: await sha256Hex(token) }
}
