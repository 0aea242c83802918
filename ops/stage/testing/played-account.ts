import { type Answer, json, jsonError, PlayedServer, type Request } from './played-server.ts'

/**
 * Fakes the operations of AWS that the programs of a stage call, in each service's own protocol, for one account. A test
 * changes its fields. The account begins in the state that a deployment needs.
 */
export class PlayedAccount extends PlayedServer {
  /** Quotas by their code. */
  readonly quotas = new Map([
    ['L-3032A538', 100],
    ['L-36FBB829', 100],
    ['L-F678F1CE', 5],
    ['L-0263D0A3', 5],
  ])
  concurrency = { limit: 2000, unreserved: 2000 }
  /** Reserved concurrency of each existing function, by its name on AWS. */
  readonly functions = new Map<string, number | undefined>()
  zones = 3
  /** The stage of each VPC and of each Elastic IP address; undefined for another application's. */
  vpcs: (string | undefined)[] = ['default']
  addresses: (string | undefined)[] = []
  /** The names of the platform's security groups in the network. */
  groups = ['default', 'agent-platform-production-agents-1']
  /** Numbers of roles: in use in the account, allowed in it, and of the stage (`own`). */
  roles = { used: 40, quota: 1000, own: 0 }
  /** The comments of the distributions. */
  distributions = ['another application']
  /** CloudFront's quotas by name: the default, and the value of this account if it differs. */
  readonly edgeQuotas = new Map<string, { usual: number; own?: number }>([
    ['Cache behaviors per distribution', { usual: 75 }],
    ['Distributions per AWS account', { usual: 25, own: 200 }],
  ])
  ses = { production: true, identities: new Map<string, { isVerified: boolean; stage?: string }>() }
  /** The architectures of each image, as `<repository>:<tag>`. */
  readonly images = new Map([['agent:1', ['arm64']]])
  /** Images without an index, whose architecture is in their configuration. */
  readonly plain = new Set<string>()
  readonly certificates = new Map<string, { status: string; names: string[] }>()
  readonly parameters = new Map<string, string>()
  /** Tasks of the cluster: the number of polls until a stopped one has ended. */
  readonly tasks = new Map<string, { group: string; stopping?: number }>()
  hasCluster = true
  /** The number of Lambda's network interfaces of the stage `test`: each request sees one less. One of `test-2` remains. */
  interfaces = 0
  /** The objects of the bucket `console` by key, each with the number of copies onto itself. */
  readonly objects = new Map<string, { tagging: string; copies: number; type?: unknown }>()
  /** Operations that the caller may not call. */
  readonly denied = new Set<string>()
  /** Names of the changing operations, in order. */
  readonly changes: string[] = []
  areCredentialsValid = true

  protected override answer(request: Request): Answer {
    const { service, operation, path } = request
    if (path.startsWith('/blobs/')) return json({ architecture: path.split('/')[2] })
    if (this.denied.has(operation))
      return service === 'iam' || service === 'ec2'
        ? xmlError(403, 'AccessDenied', `not authorized to perform: ${service}:${operation}`)
        : jsonError('AccessDeniedException', `not authorized to perform: ${service}:${operation}`)
    switch (service) {
      case 'sts':
        return this.areCredentialsValid
          ? xml(
              '<GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult>',
            )
          : xmlError(403, 'InvalidClientTokenId', 'The security token included is invalid.')
      case 'iam':
        if (operation === 'ListRoles')
          return xml(
            items(
              this.roles.own,
              (i) => `<RoleName>agent-platform-production-euw1-${i}</RoleName>`,
            ),
          )
        return xml(`<GetAccountSummaryResult><SummaryMap>
          <entry><key>Users</key><value>3</value></entry>
          <entry><key>RolesQuota</key><value>${this.roles.quota}</value></entry>
          <entry><key>Roles</key><value>${this.roles.used}</value></entry>
        </SummaryMap></GetAccountSummaryResult>`)
      case 'ec2':
        return this.#ec2(request)
      case 'cloudfront':
        return xml(
          `<DistributionList>${this.distributions.map((comment) => `<DistributionSummary><Comment>${comment}</Comment></DistributionSummary>`).join('')}</DistributionList>`,
        )
      case 'servicequotas': {
        if (request.input['ServiceCode'] === 'cloudfront') return this.#edgeQuotas(request)
        const value = this.quotas.get(String(request.input['QuotaCode']))
        return value === undefined
          ? jsonError('NoSuchResourceException', 'no such quota')
          : json({ Quota: { Value: value } })
      }
      case 's3':
        return this.#s3(request)
      case 'lambda':
        return this.#lambda(request)
      case 'ses':
        return this.#mail(request)
      case 'ecr':
        return this.#ecr(request)
      case 'acm': {
        const found = this.certificates.get(String(request.input['CertificateArn']))
        return found === undefined
          ? jsonError('ResourceNotFoundException', 'Could not find certificate')
          : json({ Certificate: { Status: found.status, SubjectAlternativeNames: found.names } })
      }
      case 'ssm':
        return this.#ssm(request)
      case 'ecs':
        return this.#ecs(request)
      default:
        return jsonError('UnknownOperationException', service)
    }
  }

  /** Answers in two pages. */
  #edgeQuotas({ operation, region, input }: Request): Answer {
    if (region !== 'us-east-1') return jsonError('NoSuchResourceException', 'no such service')
    const all = [...this.edgeQuotas].map(([QuotaName, { usual, own }]) => ({
      QuotaName,
      QuotaCode: 'L-00000000',
      Value: operation === 'ListServiceQuotas' ? own : usual,
    }))
    const [first, ...rest] = all.filter(({ Value }) => Value !== undefined)
    return json(
      input['NextToken'] === undefined
        ? { Quotas: first === undefined ? [] : [first], NextToken: 'more' }
        : { Quotas: rest },
    )
  }

  #ec2({ operation, input }: Request): Answer {
    const stage = Object.entries(input).find(([, value]) => value === 'tag:sst:stage')
      ? String(input['Filter.2.Value.1'])
      : undefined
    const own = (all: (string | undefined)[]) =>
      stage === undefined ? all : all.filter((each) => each === stage)
    if (operation === 'DescribeAvailabilityZones')
      return xml(items(this.zones, (i) => `<zoneName>zone-${i}</zoneName>`))
    if (operation === 'DescribeVpcs')
      return xml(items(own(this.vpcs).length, (i) => `<vpcId>vpc-${i}</vpcId>`))
    if (operation === 'DescribeAddresses')
      return xml(items(own(this.addresses).length, (i) => `<allocationId>a-${i}</allocationId>`))
    if (operation === 'DescribeSecurityGroups')
      return xml(this.groups.map((name) => `<groupName>${name}</groupName>`).join(''))
    const found = ['test-2', ...Array.from({ length: this.interfaces }, () => 'test')]
    this.interfaces = Math.max(0, this.interfaces - 1)
    const patterns = Object.values(input).map((value) => String(value).replace(/\*$/, ''))
    const matching = found.filter((name) => {
      const description = `AWS Lambda VPC ENI-agent-platform-${name}-checks-1`
      return patterns.some((pattern) => pattern !== '' && description.startsWith(pattern))
    })
    return xml(items(matching.length, (i) => `<networkInterfaceId>eni-${i}</networkInterfaceId>`))
  }

  #lambda({ path, operation, input }: Request): Answer {
    if (path.endsWith('/account-settings') || path.endsWith('/account-settings/'))
      return json({
        AccountLimit: {
          ConcurrentExecutions: this.concurrency.limit,
          UnreservedConcurrentExecutions: this.concurrency.unreserved,
        },
      })
    const name = path.split('/')[3] ?? ''
    if (!this.functions.has(name)) return jsonError('ResourceNotFoundException', 'no function', 404)
    if (operation === 'PUT') {
      this.functions.set(name, Number(input['ReservedConcurrentExecutions']))
      this.changes.push('PutFunctionConcurrency')
    }
    return json({ ReservedConcurrentExecutions: this.functions.get(name) })
  }

  #s3({ operation, path, query, headers }: Request): Answer {
    if (query.has('list-type'))
      return xml(
        [...this.objects.keys()]
          .filter((key) => key.startsWith(query.get('prefix') ?? ''))
          .map((key) => `<Contents><Key>${key}</Key></Contents>`)
          .join(''),
      )
    const key = path.replace(/^\/console\//, '')
    const object = this.objects.get(key)
    if (object === undefined) return xmlError(404, 'NoSuchKey', 'The key does not exist.')
    if (operation === 'PUT' && headers['x-amz-copy-source'] === `console/${key}`) {
      object.tagging = String(headers['x-amz-tagging'])
      object.type = headers['content-type']
      object.copies += 1
      return xml('<ETag>"1"</ETag>')
    }
    const [name, value] = object.tagging.split('=')
    return xml(`<TagSet><Tag><Key>${name}</Key><Value>${value}</Value></Tag></TagSet>`)
  }

  #mail({ path }: Request): Answer {
    if (path === '/v2/email/account')
      return json({ ProductionAccessEnabled: this.ses.production, SendingEnabled: true })
    const identity = this.ses.identities.get(decodeURIComponent(path.split('/').at(-1) ?? ''))
    return identity === undefined
      ? jsonError('NotFoundException', 'Email identity does not exist.', 404)
      : json({
          VerifiedForSendingStatus: identity.isVerified,
          Tags: identity.stage === undefined ? [] : [{ Key: 'sst:stage', Value: identity.stage }],
        })
  }

  #ecr({ operation, input }: Request): Answer {
    const repository = String(input['repositoryName'])
    if (operation === 'GetDownloadUrlForLayer')
      return json({ downloadUrl: `${this.url}/blobs/${String(input['layerDigest'])}` })
    if (![...this.images.keys()].some((each) => each.startsWith(`${repository}:`)))
      return jsonError('RepositoryNotFoundException', `no repository ${repository}`)
    const [id] = input['imageIds'] as { imageTag?: string }[]
    const name = `${repository}:${id?.imageTag}`
    const architectures = this.images.get(name)
    if (architectures === undefined)
      return json({ images: [], failures: [{ imageId: id, failureCode: 'ImageNotFound' }] })
    const entries = [...architectures, 'unknown'].map((architecture) => ({
      platform: { architecture },
    }))
    const manifest = this.plain.has(name)
      ? { config: { digest: architectures[0] } }
      : { manifests: entries }
    return json({ images: [{ imageManifest: JSON.stringify(manifest) }] })
  }

  #ssm({ operation, input }: Request): Answer {
    const name = String(input['Name'])
    if (operation === 'PutParameter') this.parameters.set(name, String(input['Value']))
    else if (!this.parameters.has(name)) return jsonError('ParameterNotFound', '')
    if (operation !== 'GetParameter') this.changes.push(operation)
    const Value = this.parameters.get(name)
    if (operation === 'DeleteParameter') this.parameters.delete(name)
    return json({ Parameter: { Name: name, Value } })
  }

  #ecs({ operation, input }: Request): Answer {
    if (!this.hasCluster) return jsonError('ClusterNotFoundException', 'Cluster not found.')
    if (operation === 'ListTasks') {
      const wantsStopped = input['desiredStatus'] === 'STOPPED'
      const arns = [...this.tasks].flatMap(([arn, { stopping }]) =>
        (stopping !== undefined) === wantsStopped ? [arn] : [],
      )
      return json({ taskArns: arns })
    }
    if (operation === 'StopTask') {
      const task = this.tasks.get(String(input['task']))
      if (task !== undefined) task.stopping = 2
      this.changes.push('StopTask')
      return json({ task: {} })
    }
    const tasks = (input['tasks'] as string[]).map((taskArn) => {
      const { group, stopping } = this.tasks.get(taskArn) ?? { group: '' }
      if (stopping !== undefined) this.tasks.set(taskArn, { group, stopping: stopping - 1 })
      const lastStatus =
        stopping === undefined ? 'RUNNING' : stopping > 0 ? 'DEPROVISIONING' : 'STOPPED'
      return { taskArn, group, lastStatus }
    })
    return json({ tasks })
  }
}

const xml = (body: string): Answer => [200, `<Response>${body}</Response>`]
const xmlError = (status: number, code: string, message: string): Answer => [
  status,
  `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
]
const items = (count: number, item: (index: number) => string) =>
  `<set>${Array.from({ length: count }, (_, i) => `<item>${item(i)}</item>`).join('')}</set>`
