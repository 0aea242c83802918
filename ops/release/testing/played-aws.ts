import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'

interface Deployment {
  group: string
  description: string
  content: string
  status: 'InProgress' | 'Succeeded' | 'Stopped'
  looks: number
}

const created = z.object({
  deploymentGroupName: z.string(),
  deploymentConfigName: z.string().optional(),
  description: z.string(),
  overrideAlarmConfiguration: z.object({ enabled: z.boolean() }).optional(),
  revision: z.object({ appSpecContent: z.object({ content: z.string() }) }),
})

const spec = z.object({
  Resources: z.tuple([
    z.record(
      z.string(),
      z.object({
        Properties: z.object({
          Name: z.string(),
          Alias: z.literal('live'),
          CurrentVersion: z.string(),
          TargetVersion: z.string(),
        }),
      }),
    ),
  ]),
})

/**
 * Fakes the operations of Lambda and CodeDeploy that a release uses, over their protocol, since CodeDeploy has no local
 * engine. A move ends at the third poll. It is refused while another move of its group is in progress.
 */
export class PlayedAws implements AsyncDisposable {
  /** The served version and the number of versions of each function, by its name on AWS. */
  readonly functions = new Map<string, { served: string; versions: number }>()
  /** The `<name>:<version>` whose alarm fires while it is watched. */
  readonly bad = new Set<string>()
  /** Groups whose moves CodeDeploy refuses. */
  readonly closed = new Set<string>()
  /** The requested moves, in order: `<group> <from>→<to>`, with `!` if no alarm watches it. */
  readonly moves: string[] = []
  readonly #deployments = new Map<string, Deployment>()
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response)
  })

  static async start(): Promise<PlayedAws> {
    const played = new PlayedAws()
    played.#server.listen(0, '127.0.0.1')
    await once(played.#server, 'listening')
    return played
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = await this.#answer(request)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(body))
  }

  async #answer(request: IncomingMessage): Promise<[number, unknown]> {
    const { pathname } = new URL(request.url ?? '', 'http://aws')
    const [, name = '', what] =
      /^\/2015-03-31\/functions\/([^/]+)\/(versions|aliases)/.exec(pathname) ?? []
    const lambda = this.functions.get(name)
    if (what !== undefined && lambda === undefined)
      return [404, { __type: 'ResourceNotFoundException', Message: 'Function not found' }]
    if (what === 'aliases') return [200, { FunctionVersion: lambda?.served }]
    if (what === 'versions') return [200, { Versions: versionsOf(lambda?.versions ?? 0) }]
    let text = ''
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString('utf8')
    const body: unknown = JSON.parse(text)
    const target = String(request.headers['x-amz-target']).split('.')[1]
    if (target === 'CreateDeployment') return this.#create(created.parse(body))
    if (target === 'ListDeployments') return [200, { deployments: this.#held(body) }]
    const { deploymentId } = z.object({ deploymentId: z.string() }).parse(body)
    return [200, { deploymentInfo: this.#look(deploymentId) }]
  }

  #create(asked: z.output<typeof created>): [number, unknown] {
    const { deploymentGroupName: group, description } = asked
    const { content } = asked.revision.appSpecContent
    const { Name, CurrentVersion, TargetVersion } = propertiesOf(content)
    const lambda = this.functions.get(Name)
    if (this.closed.has(group))
      return [400, { __type: 'DeploymentGroupDoesNotExistException', message: `no ${group}` }]
    if ([...this.#deployments.values()].some((one) => one.group === group && isUnderWay(one)))
      return [400, { __type: 'DeploymentLimitExceededException', message: 'one is under way' }]
    if (lambda?.served !== CurrentVersion)
      return [400, { __type: 'InvalidRevisionException', message: `${Name} serves another` }]
    const unwatched = asked.overrideAlarmConfiguration?.enabled === false
    this.moves.push(`${group} ${CurrentVersion}→${TargetVersion}${unwatched ? '!' : ''}`)
    const holds = unwatched || !this.bad.has(`${group}:${TargetVersion}`)
    const id = `d-${this.#deployments.size}`
    const status = 'InProgress'
    this.#deployments.set(id, { group, description, content, status, looks: holds ? 0 : -10 })
    return [200, { deploymentId: id }]
  }

  #look(id: string) {
    const found = this.#deployments.get(id)
    if (found === undefined) throw new Error(`no deployment is called ${id}`)
    found.looks += 1
    if (isUnderWay(found) && (found.looks === 3 || found.looks === -7)) {
      found.status = found.looks === 3 ? 'Succeeded' : 'Stopped'
      const { Name, TargetVersion } = propertiesOf(found.content)
      const lambda = this.functions.get(Name)
      if (found.status === 'Succeeded' && lambda !== undefined) lambda.served = TargetVersion
    }
    const { status, description, content } = found
    return { status, description, revision: { appSpecContent: { content } } }
  }

  #held(body: unknown): string[] {
    const { deploymentGroupName } = z.object({ deploymentGroupName: z.string() }).parse(body)
    return [...this.#deployments]
      .filter(([, { group, status }]) => group === deploymentGroupName && status === 'Succeeded')
      .map(([id]) => id)
      .toReversed()
  }
}

const isUnderWay = ({ status }: Deployment) => status === 'InProgress'

function propertiesOf(content: string) {
  const [resource] = spec.parse(JSON.parse(content)).Resources
  const [properties] = Object.values(resource)
  if (properties === undefined) throw new Error('the revision names no function')
  return properties.Properties
}

const versionsOf = (count: number) => [
  { Version: '$LATEST' },
  ...Array.from({ length: count }, (_, i) => ({ Version: String(i + 1) })),
]
