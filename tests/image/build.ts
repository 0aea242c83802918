import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import * as z from 'zod'
import { buildah, root, run, work } from './tools.ts'

const inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()).nullish(),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
      ExposedPorts: z.record(z.string(), z.unknown()),
    }),
  }),
})

/** An image's settings, such as Docker's HEALTHCHECK, and settings that a Dockerfile does not contain. */
type ImageConfig = z.output<typeof inspected>['Docker']['config']

/** A built image, with its root file system mounted. */
export interface Image {
  config: ImageConfig
  rootfs: string
  close(): Promise<void>
}

const format = ['--isolation', 'chroot', '--format', 'docker', '--pull=never']

/** A proxy in front of npm's registry may use a certificate that only the build machine trusts. */
const certificates = '/etc/ssl/certs'

/**
 * Stand-ins for the images' bases, which would come from registries: the script that builds each one's files, and its
 * Dockerfile lines.
 */
const bases = {
  agent: {
    script: 'base.sh',
    lines: [
      `ENV NODE_EXTRA_CA_CERTS=${certificates}/ca-certificates.crt`,
      'USER node',
      'ENTRYPOINT ["tini", "-s", "--"]',
    ],
  },
  services: {
    script: 'services-base.sh',
    lines: ['USER 65532', 'WORKDIR /home/nonroot', 'ENTRYPOINT ["/nodejs/bin/node"]'],
  },
} as const

export interface ImageSpec {
  name: keyof typeof bases
  dockerfile: string
  context: string
}

/** Builds a Dockerfile with a stand-in for its base. */
export async function buildImage(image: ImageSpec): Promise<Image> {
  await mkdir(work, { recursive: true })
  // Removes the containers of an interrupted run. Their mounts would prevent the folder's removal.
  await buildah('rm', '--all')
  const base = await baseOf(image.name)
  const tag = `localhost/${image.name}`
  const mounted = ['--volume', `${certificates}:${certificates}:ro`]
  const file = ['--file', join(root, image.dockerfile), join(root, image.context)]
  await buildah('bud', ...format, ...mounted, '--from', base, '--tag', tag, ...file)
  // Removes the image that had the tag before, which would keep its base alive.
  await buildah('rmi', '--prune')
  const { config } = inspected.parse(
    JSON.parse(await buildah('inspect', '--type=image', tag)),
  ).Docker
  const container = await buildah('from', '--pull=never', tag)
  const rootfs = await buildah('mount', container)
  return {
    config,
    rootfs,
    close: async () => void (await buildah('rm', container)),
  }
}

/** Returns the tag of an image's base, which is rebuilt only if its sources have changed. */
async function baseOf(name: ImageSpec['name']): Promise<string> {
  const { script, lines } = bases[name]
  const state = await stateOfBases()
  const reference = `localhost/base-of-${name}`
  const tag = `${reference}:${state}`
  const kept = (of: string) => buildah('images', '--quiet', '--filter', `reference=${of}`)
  if ((await kept(tag)) !== '') return tag
  const outdated = (await kept(reference)).split('\n').filter((id) => id !== '')
  if (outdated.length > 0) await buildah('rmi', ...outdated)
  const folder = join(work, script.replace('.sh', ''))
  await run('bash', [join(import.meta.dirname, script), folder, state])
  const file = join(work, 'Base')
  const { base } = parse(folder)
  await writeFile(file, ['FROM scratch', `COPY ${base} /`, ...lines].join('\n'))
  await buildah('bud', ...format, '--tag', tag, '--file', file, work)
  return tag
}

/**
 * Returns a fingerprint of all sources of the bases, except the daily state of Debian's packages. It covers both bases,
 * because one is built from the other.
 */
async function stateOfBases(): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  const scripts = Object.values(bases).map(({ script }) => join(import.meta.dirname, script))
  const lock = join(root, 'stacks/local/openclaw/lock/package-lock.json')
  for (const path of [...scripts, lock]) hash.update(await readFile(path))
  return hash.update(JSON.stringify(bases)).digest('hex').slice(0, 16)
}
