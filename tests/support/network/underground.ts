import * as group from '#functions/backend/underground.ts'
import { newId } from '#shared/platform/ids.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { internalCallerOf } from '../http/internal-caller.ts'
import { startTestTable } from '../platform/table.ts'

/** Starts the underground's routes over a database of their own, as trusted callers reach them. */
export async function startUnderground() {
  const { table, close } = await startTestTable()
  return {
    table,
    close,
    call: internalCallerOf(group, { table }),
    newUserId: () => newId('usr'),
    agentOf: (userId: string | null) => putAgent(table, userId),
  }
}

export type Underground = Awaited<ReturnType<typeof startUnderground>>
