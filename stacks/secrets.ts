import { functions } from '../shared/manifest/index.ts'
import type { SecretName } from '../shared/manifest/index.ts'

/**
 * Nothing works without these: deploying fails until `sst secret set` has given them a value. Any other secret stands
 * for a feature; empty counts as absent, and the feature then says that it is not configured.
 */
const required = new Set<SecretName>(['INTERNAL_API_KEY', 'ORIGIN_SECRET', 'WALLET_ENCRYPTION_KEY'])

const secrets = new Map(
  [...new Set(functions.flatMap((spec) => spec.secrets))]
    .toSorted()
    .map((name) => [name, new sst.Secret(name, required.has(name) ? undefined : '')]),
)

/**
 * A secret of the manifest. Linked to a function it travels in an encrypted file of the code package and is read
 * through `sst/resource`; it is never a plain variable, which anybody who may describe a function could read.
 * @throws Error for one that no function lists
 */
export function secretOf(name: SecretName): sst.Secret {
  const found = secrets.get(name)
  if (found === undefined) throw new Error(`no function lists the secret ${name}`)
  return found
}
