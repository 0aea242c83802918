import * as z from 'zod'
import { type AwsCalls, AwsError } from '../aws/calls.ts'
import { type Finding, finding, type Subject } from './finding.ts'

const imageSettings = ['AGENT_IMAGE', 'AGENT_IMAGE_NEXT', 'SERVICE_IMAGE', 'ROUTER_IMAGE']

/** Checks that each image of the settings exists in ECR and has an arm64 variant. */
export async function images({ aws, settings }: Subject): Promise<Finding[]> {
  const rows = imageSettings.flatMap((name) => {
    const reference = settings[name]
    return reference === undefined ? [] : [checkImage(aws, name, reference)]
  })
  return Promise.all(rows)
}

async function checkImage(aws: AwsCalls, what: string, reference: string): Promise<Finding> {
  const parts =
    /^(?<registry>\d{12})\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com\/(?<repository>[^:@]+)(?::(?<tag>[^@]+))?(?:@(?<digest>sha256:\w+))?$/.exec(
      reference,
    )?.groups
  const wanted = 'an image in ECR for linux/arm64'
  if (parts === undefined)
    return finding(false, {
      what,
      found: `${reference}, not in ECR`,
      wanted: 'an image in ECR, or a public image, for linux/arm64',
      otherwise: 'look',
      todo: `run \`docker manifest inspect ${reference}\` without a login: it must succeed and list arm64`,
    })
  const build = `build it for linux/arm64 and push it as ${reference}`
  try {
    const architectures = await architecturesOf(aws, parts)
    return finding(architectures.includes('arm64'), {
      what,
      found: architectures.length === 0 ? `no image ${reference}` : architectures.join(', '),
      wanted,
      todo: build,
    })
  } catch (error) {
    if (!(error instanceof AwsError && error.name === 'RepositoryNotFoundException')) throw error
    const { repository = '', region = '' } = parts
    return finding(false, {
      what,
      found: `no repository ${repository}`,
      wanted,
      todo: `aws ecr create-repository --repository-name ${repository} --region ${region}, then ${build}`,
    })
  }
}

const batch = z.object({ images: z.array(z.object({ imageManifest: z.string() })) })
const manifest = z.object({
  /** An image index has one entry for each platform. */
  manifests: z
    .array(z.object({ platform: z.object({ architecture: z.string() }).optional() }))
    .optional(),
  /** The manifest of one platform names its configuration, which contains the architecture. */
  config: z.object({ digest: z.string() }).optional(),
})
const link = z.object({ downloadUrl: z.url() })
const configuration = z.object({ architecture: z.string() })

/** Returns the architectures of an image; empty if the image does not exist. */
async function architecturesOf(
  aws: AwsCalls,
  { registry, region, repository, tag = 'latest', digest }: Record<string, string | undefined>,
): Promise<string[]> {
  const at = { registryId: registry, repositoryName: repository }
  const ask = (operation: string, input: object) =>
    aws.json(
      'ecr',
      `AmazonEC2ContainerRegistry_V20150921.${operation}`,
      { ...at, ...input },
      region,
    )
  const { images: found } = batch.parse(
    await ask('BatchGetImage', {
      imageIds: [digest === undefined ? { imageTag: tag } : { imageDigest: digest }],
      acceptedMediaTypes: [
        'application/vnd.oci.image.index.v1+json',
        'application/vnd.oci.image.manifest.v1+json',
        'application/vnd.docker.distribution.manifest.list.v2+json',
        'application/vnd.docker.distribution.manifest.v2+json',
      ],
    }),
  )
  const [image] = found
  if (image === undefined) return []
  const { manifests, config } = manifest.parse(JSON.parse(image.imageManifest))
  if (manifests !== undefined)
    return (
      manifests
        .flatMap(({ platform }) => platform?.architecture ?? [])
        // buildx adds attestations as entries with this architecture.
        .filter((architecture) => architecture !== 'unknown')
    )
  if (config === undefined) return []
  const { downloadUrl } = link.parse(
    await ask('GetDownloadUrlForLayer', { layerDigest: config.digest }),
  )
  const response = await fetch(downloadUrl)
  return [configuration.parse(await response.json()).architecture]
}
