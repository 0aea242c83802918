import { afterAll, beforeAll, beforeEach } from 'vitest'
import { ownKeyPlace } from '#shared/ai/gateway/providers/own-keys.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { startTestTable, type TestTable } from '../platform/table.ts'
import { keyHolder, type Owner, solo } from './callers.ts'
import { encryptionKey, type GatewayOptions, startGateway } from './gateway.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/**
 * Provides the platform's model provider, and a vendor that users have keys of their own for. Both are new in each
 * test.
 */
export function useOwnKeys() {
  let db: TestTable
  let platform: Upstream
  let vendor: Upstream
  beforeAll(async () => {
    db = await startTestTable()
  })
  afterAll(() => db.close())
  beforeEach(async () => {
    platform = await startUpstream()
    vendor = await startUpstream()
    return async () => {
      await platform.close()
      await vendor.close()
    }
  })

  async function sealFor(userId: string, keys: Record<string, string>) {
    const { seal } = sealer(encryptionKey)
    const sealed = Object.entries(keys).map(
      async ([name, key]) => [name, await seal(key, ownKeyPlace(userId, name))] as const,
    )
    const byok = Object.fromEntries(await Promise.all(sealed))
    await db.table.update({ pk: userPartition(userId), sk: 'profile' }, { set: { byok } })
  }

  return {
    get table() {
      return db.table
    },
    get platform() {
      return platform
    },
    /** The vendor of own keys; every entry of AI_PROVIDERS has an address of its own. */
    get vendor() {
      return vendor
    },

    /**
     * Starts the platform's AI gateway with entries for the vendor under these names.
     * @param entry further fields of each entry
     */
    startBoth: (names = ['openai'], more: GatewayOptions = {}, entry: object = {}) =>
      startGateway(db.table, {
        AI_BASE_URL: platform.baseUrl,
        AI_API_KEY: 'platform-key',
        AI_PROVIDERS: JSON.stringify(
          Object.fromEntries(
            names.map((name) => [
              name,
              { baseUrl: vendor.baseUrl, apiKey: 'platform-vendor-key', ...entry },
            ]),
          ),
        ),
        ...more,
      }),

    /** Creates a user with keys of their own, sealed as the billing verbs do. */
    async withKeys(keys: Record<string, string>, owner: Owner = solo) {
      const user = await keyHolder(db.table, owner)
      await sealFor(user.userId, keys)
      return user
    },
    sealFor,
  }
}
