import { createHash } from 'node:crypto'
import type { Engine } from '../engine.ts'
import { Fault } from '../fault.ts'

/**
 * Runs a request once. The same Idempotency-Key gets the same response, even after a restart.
 * @param request the request that the key belongs to
 * @param work runs in the transaction that stores its response; errors are not stored
 * @throws Fault if the key was used for another request
 */
export function runOnce(
  { store }: Engine,
  key: string | undefined,
  request: string,
  work: () => object,
): { body: string; replayed: boolean } {
  if (key === undefined) return { body: JSON.stringify(work()), replayed: false }
  const fingerprint = createHash('sha256').update(request).digest('hex')
  return store.transaction(() => {
    const sql = 'SELECT fingerprint, body FROM request WHERE idempotency_key = ?'
    const row = store.get(sql, key)
    if (row === undefined) {
      const body = JSON.stringify(work())
      const insert = 'INSERT INTO request (idempotency_key, fingerprint, body) VALUES (?, ?, ?)'
      store.run(insert, key, fingerprint, body)
      return { body, replayed: false }
    }
    if (row['fingerprint'] !== fingerprint)
      throw new Fault(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        { type: 'idempotency_error' },
      )
    return { body: String(row['body']), replayed: true }
  })
}
