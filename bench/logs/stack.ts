/** Runs a local stack in its own process and prints the addresses of its engines. */
import { join } from 'node:path'
import { startStack } from '#stacks/local/stack.ts'

const root = join(import.meta.dirname, '../..')
const stack = await startStack({
  root,
  bundles: join(root, 'dist/functions'),
  environment: process.env,
})
const { urls, endpoints, clusterName, tableName } = stack
process.stdout.write(`${JSON.stringify({ urls, endpoints, clusterName, tableName })}\n`)
process.once('SIGTERM', () => void stack.close().then(() => process.exit(0)))
