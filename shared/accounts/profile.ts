import type * as z from 'zod'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import type { profile } from './schema.ts'
import { findUser } from './user.ts'

/** The current user's profile. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function getProfile(table: Table, userId: string): Promise<z.input<typeof profile>> {
  const user = await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  const { id, email, name, plan, credits, twoFactorEnabled } = user
  return { id, email, name, plan, credits, twoFactorEnabled }
}
