import * as z from 'zod'
import { arn, type Engine } from '../engine.ts'
import { Fault } from './fault.ts'

/** The cluster of a request, by name or ARN. */
export const cluster = z.string().default('default')

/** @throws Fault ClusterNotFoundException if the engine's cluster is another one */
export function requireCluster(engine: Engine, name: string): void {
  if (name === engine.cluster || name === arn(engine, `cluster/${engine.cluster}`)) return
  throw new Fault('ClusterNotFoundException', 'Cluster not found.')
}
