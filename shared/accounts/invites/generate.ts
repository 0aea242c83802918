import { randomHex, sha256Hex } from '#shared/platform/crypto.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { inviteRows } from './rows.ts'

/** contract.md 9: a code has 12 hex digits. */
const codeBytes = 6

/** Creates an invite code, which can be used once and never expires. */
export async function generateInvite({ table }: { table: Table }): Promise<{ code: string }> {
  for (;;) {
    const code = randomHex(codeBytes)
    const item = inviteRows.put(
      { codeHash: await sha256Hex(code) },
      { createdAt: new Date().toISOString() },
    )
    try {
      await table.put(item, { if: 'attribute_not_exists(pk)' })
      return { code }
    } catch (error) {
      // The code already exists, or a retry of the table's client found the row of its first attempt: create another
      // code.
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}
