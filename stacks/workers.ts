import type { FunctionSpec } from '#shared/manifest/index.ts'
import { workerCompatibility } from '#shared/manifest/worker.ts'
import { environmentOf } from './environment.ts'
import { pascal } from './names.ts'
import { grantedTo } from './permissions.ts'
import { workerHost, workers } from './placement.ts'
import { secretOf } from './secrets.ts'

for (const spec of workers) worker(spec)

/**
 * A function as a Cloudflare Worker. Cloudflare gives workers no identity that AWS accepts, so a worker cannot assume a
 * role. It has its own IAM user with the manifest's grants only, whose key is among the worker's secrets. A worker without
 * AWS grants has neither.
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
