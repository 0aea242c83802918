import { functions } from '../shared/manifest/index.ts'
import type { SecretName } from '../shared/manifest/index.ts'
import { functionSettings } from '../shared/manifest/settings/functions.ts'

/**
 * Deploying fails until `sst secret set` has given a required one its value. Any other secret stands for a feature;
 * empty counts as absent, and the feature then says that it is not configured.
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
 * A secret of the manifest. Linked to a function it travels in an encrypted file of the code package and is read
 * through `sst/resource`; it is never a plain variable, which anybody who may describe a function could read.
 * @throws Error for one that no function lists
 */
export function secretOf(name: SecretName): sst.Secret {
  const found = secrets.get(name)
  if (found === undefined) throw new Error(`no function lists the secret ${name}`)
  return found
}
