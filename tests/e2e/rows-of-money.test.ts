import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { agentPaymentRows } from '#shared/network/agent-payments/rows.ts'
import { walletKeyRows } from '#shared/network/signer/keys/rows.ts'
import { splitRows, workRows } from '#shared/network/splits/rows.ts'

const bundleOf = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../dist/functions', name, 'index.cjs'), 'utf8')

/**
 * AWS refuses access to these rows without the grant; the local table does not. This test finds the difference before a
 * deployment.
 */
it.each(functions)(
  '$name is granted exactly the rows of keys and payments that it uses',
  ({ name, grants }) => {
    const bundle = bundleOf(name)
    expect({
      payments: [splitRows, workRows, agentPaymentRows].some(({ declared }) =>
        bundle.includes(declared.pk),
      ),
      keys: bundle.includes(walletKeyRows.declared.pk),
    }).toEqual({
      payments: grants.some((grant) => 'rows' in grant),
      keys: grants.some((grant) => 'seal' in grant),
    })
  },
)
