import { functions } from '#shared/manifest/index.ts'
import type { SecretName } from '#shared/manifest/index.ts'
import { functionSettings } from '#shared/manifest/settings/functions.ts'

/**
 * A deployment fails until `sst secret set` has set every required secret. Any other secret belongs to an optional feature.
 * If it is empty, the feature reports that it is not configured.
 */
const secrets = new Map(
  [...new Set(functions.flatMap((spec) => spec.secrets))]
    .toSorted()
    .map((name) => [
      name,
      new sst.Secret(name, 'required' in functionSettings[name] ? undefined : ''),
    ]),
)

/**
 * Returns a secret of the manifest. A linked secret is stored in an encrypted file in the code package and read through
 * `sst/resource`. It is never a plain variable, which everyone with permission to describe a function could read.
 * @throws Error if no function lists it
 */
export function secretOf(name: SecretName): sst.Secret {
  const found = secrets.get(name)
  if (found === undefined) throw new Error(`no function lists the secret ${name}`)
  return found
}
