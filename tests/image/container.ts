import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Image } from './build.ts'
import { run } from './tools.ts'

/** The parameters that ECS runs an image with. */
export interface Run {
  /** The user id and group id of the image. */
  uid: number
  environment: Record<string, string>
  /** Replaces the image's own command. */
  command?: readonly string[]
}

/** Loopback addresses in the format of /proc. */
const loopback = /^(?:0100007F|00000000000000000000000001000000|0000000000000000FFFF00000100007F):/

/**
 * A container of an image as ECS runs it (stacks/containers.ts): with its own user, a read-only root, no capabilities,
 * and empty volumes that its user owns. It shares this machine's network, so that a test can reach it.
 */
export class Container implements AsyncDisposable {
  readonly #id: string
  readonly #dir: string
  readonly #child: ChildProcess
  readonly #uid: number
  output = ''

  private constructor(id: string, dir: string, uid: number) {
    this.#id = id
    this.#uid = uid
    this.#dir = dir
    this.#child = spawn(...crun('run', '--bundle', dir, id), { stdio: 'pipe' })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')))
  }

  static async start(image: Image, how: Run): Promise<Container> {
    const { uid } = how
    const dir = await mkdtemp(join(tmpdir(), 'image-'))
    for (const volume of volumesOf(image)) {
      await mkdir(join(dir, volume))
      await chown(join(dir, volume), uid, uid)
    }
    await writeFile(join(dir, 'config.json'), JSON.stringify(specOf(image, dir, how)))
    return new Container(dir.replaceAll(/\W+/g, '-').slice(1), dir, uid)
  }

  /**
   * Runs a program inside the container as its user.
   * @returns its output
   */
  exec(...command: string[]): Promise<string> {
    return run(...crun('exec', `--user=${this.#uid}:${this.#uid}`, this.#id, ...command))
  }

  /** Sends a signal to its first process. */
  async kill(signal: string): Promise<void> {
    await run(...crun('kill', this.#id, signal))
  }

  /**
   * Waits until it has ended.
   * @returns its exit code
   */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
    return this.#child.exitCode
  }

  /** Returns the ports that its processes listen on, except those on loopback only. */
  async openPorts(): Promise<number[]> {
    const open = (await this.#listening()).filter((address) => !loopback.test(address))
    return open.map((address) => Number.parseInt(address.split(':')[1] ?? '', 16))
  }

  /** Returns the sockets that its processes listen on: `address:port`, in hex as in /proc. */
  async #listening(): Promise<string[]> {
    const { pid } = JSON.parse(await run(...crun('state', this.#id))) as { pid: number }
    const inside = await readlink(`/proc/${pid}/ns/pid`)
    const sockets = new Set<string>()
    for (const one of await readdir('/proc')) {
      if (!/^\d+$/.test(one)) continue
      // The process may have ended in the meantime.
      if ((await readlink(`/proc/${one}/ns/pid`).catch(() => '')) !== inside) continue
      for (const fd of await readdir(`/proc/${one}/fd`).catch(() => []))
        sockets.add(await readlink(`/proc/${one}/fd/${fd}`).catch(() => ''))
    }
    const lines = await Promise.all(
      ['tcp', 'tcp6'].map((net) => readFile(`/proc/net/${net}`, 'utf8')),
    )
    return lines
      .flatMap((text) => text.split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(
        ([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`),
      )
      .map(([, local = '']) => local)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // crun removes a container that ends while crun runs it, and `delete` fails if both remove it at the same time. So
    // this kills the container and waits for its end first. `kill` fails if the container has just ended. If it fails
    // for another reason, the test times out here.
    await this.kill('KILL').catch(() => undefined)
    await this.ended()
    await run(...crun('delete', '--force', this.#id))
    await rm(this.#dir, { recursive: true, force: true })
  }
}

/**
 * Runs crun without cgroups, which these tests do not need. crun refuses a machine with both cgroup versions, so this
 * hides the second one in a mount namespace, which no other process sees.
 */
function crun(...args: string[]): [command: string, args: string[]] {
  const script =
    'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun --cgroup-manager=disabled "$@"'
  return ['unshare', ['--mount', 'sh', '-c', script, 'crun', ...args]]
}

/** Returns the folders that its user may write to. */
export function volumesOf({ config }: Pick<Image, 'config'>): string[] {
  return Object.keys(config.Volumes ?? {}).toSorted()
}

function specOf(image: Image, dir: string, { uid, environment, command }: Run) {
  const { config, rootfs } = image
  const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] }
  const mount = (destination: string, type: string, ...options: string[]) => ({
    destination,
    type,
    source: type,
    options: ['nosuid', 'noexec', 'nodev', ...options],
  })
  const volumes = volumesOf(image).map((destination) => ({
    destination,
    type: 'bind',
    source: join(dir, destination),
    options: ['bind', 'rw', 'nosuid', 'nodev'],
  }))
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid: uid },
      args: [...(config.Entrypoint ?? []), ...(command ?? config.Cmd)],
      env: [...config.Env, ...Object.entries(environment).map(([key, value]) => `${key}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: none,
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      mount('/proc', 'proc'),
      { ...mount('/dev', 'tmpfs', 'mode=755'), options: ['nosuid', 'strictatime', 'mode=755'] },
      ...volumes,
    ],
    linux: {
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/sysrq-trigger'],
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
