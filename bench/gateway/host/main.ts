/**
 * Our side: the AI function's bundle in the local stack's function host, behind the local stack's surface, in one process.
 * Each request becomes a REST API event, is passed as JSON text as on Lambda, and is answered by the streaming handler.
 */
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { startFunctionHost } from '#stacks/local/functions/host.ts'
import { startSurface } from '#stacks/local/surfaces/surface.ts'
import { spec } from '../bundle.ts'
import { tableTrace } from '../table/traced.ts'

const [bundles = '', provider = '', endpoint = ''] = process.argv.slice(2)
if (spec === undefined) throw new Error('the manifest has no function backend-ai')
const functions = [spec]

const host = await startFunctionHost({
  functions,
  bundles,
  cacheDir: bundles,
  mode: 'inline',
  environmentOf: (each) =>
    functionEnvironment(each, {
      bundles,
      values: {
        AI_BASE_URL: provider,
        AI_API_KEY: 'bench',
        AI_SPEAKS: 'chat,messages,responses',
      },
      tableName: 'platform',
      clusterName: '',
      queueUrls: {} as never,
      endpoints: { dynamodb: endpoint, sqs: '', ecs: '', ses: '', s3: '', lambda: '' },
      objectLinksKey: '',
    }),
  onLine: () => {},
})
const surface = await startSurface({
  surface: 'backend',
  functions,
  host,
  port: 0,
  onFailure: (name, error) => process.stderr.write(`${name}: ${String(error)}\n`),
})
process.send?.({ port: surface.port })

const trace = tableTrace()
process.on('message', ({ recording }: { recording: boolean }) => {
  process.send?.(trace.requests.splice(0))
  trace.recording = recording
})
process.on('disconnect', () => process.exit())
