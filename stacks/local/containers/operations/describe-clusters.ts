import * as z from 'zod'
import { arn } from '../engine.ts'
import { operation } from '../wire/operation.ts'

const schema = z.object({ clusters: z.array(z.string()).max(100).default(['default']) })

/** The engine has one cluster, which always exists. All other names are missing. */
export const describeClusters = operation(schema, (engine, { clusters: names }) => {
  const clusterArn = arn(engine, `cluster/${engine.cluster}`)
  const isIt = (name: string) => name === engine.cluster || name === clusterArn
  return {
    clusters: names
      .filter(isIt)
      .map(() => ({ clusterArn, clusterName: engine.cluster, status: 'ACTIVE' })),
    failures: names
      .filter((name) => !isIt(name))
      .map((name) => ({ arn: arn(engine, `cluster/${name}`), reason: 'MISSING' })),
  }
})
