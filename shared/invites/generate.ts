import { randomHex, sha256Hex } from '../platform/crypto.ts'
import { ConditionFailed, type Table } from '../platform/table/port.ts'
import { inviteRows } from './rows.ts'

/** contract.md 9: a code has 12 hex digits. */
const codeBytes = 6

/** Makes an invite code, which is good once, whenever that is. */
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
      // There is a code like it, or the table's client sent this write twice and met its own: another one is made.
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}
