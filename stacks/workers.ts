import { environmentOf } from './environment.ts'
import { workerCompatibility } from '../shared/manifest/worker.ts'
import type { FunctionSpec } from '../shared/manifest/index.ts'
import { pascal } from './names.ts'
import { grantedTo } from './permissions.ts'
import { workerHost, workers } from './placement.ts'
import { secretOf } from './secrets.ts'

for (const spec of workers) worker(spec)

/**
 * A function as a Cloudflare Worker. Cloudflare vouches for no worker before AWS, so it cannot take a role: it has an
 * IAM user of its own, with the grants of the manifest and no more, whose key is among the worker's secrets. A worker
 * that needs nothing of AWS has neither.
 */
function worker(spec: FunctionSpec): void {
  const name = pascal(spec.name)
  const statements = grantedTo(spec)
  const grants = new sst.Linkable(`${name}Grants`, {
    properties: {},
    include: statements.map((statement) => sst.aws.permission(statement)),
  })
  new sst.cloudflare.Worker(name, {
    handler: `dist/workers/${spec.name}/index.js`,
    domain: workerHost(spec.name),
    compatibility: { date: workerCompatibility.date, flags: [...workerCompatibility.flags] },
    environment: { ...environmentOf(spec), AWS_REGION: aws.getRegionOutput().region },
    link: [...spec.secrets.map(secretOf), ...(statements.length > 0 ? [grants] : [])],
  })
}
