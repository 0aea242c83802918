import { join } from 'node:path'
import {
  type Environment,
  readSettings,
  type Settings,
  SettingsError,
  withoutBlanks,
} from '../../gateway/settings.ts'

/** The settings of the process in front of OpenClaw. */
export interface FrontSettings extends Settings {
  /** The folder of both. */
  dataDir: string
  /** The folder of OpenClaw's own files: configuration, conversations, locks. */
  stateDir: string
  /** The agent's connections when OpenClaw starts. */
  connectionNames?: readonly string[]
  /** The command of OpenClaw, argument by argument. */
  command: readonly string[]
}

/**
 * Parses the environment table of agent/README.md for the image: AGENT_DATA_DIR holds both the workspace and OpenClaw's own
 * state. OPENCLAW_PROGRAM names its main file if the command `openclaw` is not installed.
 * @throws SettingsError that names each missing or invalid variable
 */
export function readFrontSettings(environment: Environment): FrontSettings {
  const { AGENT_DATA_DIR: dataDir, OPENCLAW_PROGRAM: program } = withoutBlanks(environment)
  if (dataDir === undefined) throw new SettingsError('AGENT_DATA_DIR is required')
  return {
    ...readSettings({ ...environment, WORKSPACE_DIR: join(dataDir, 'workspace') }),
    dataDir,
    stateDir: join(dataDir, 'openclaw'),
    command: program === undefined ? ['openclaw'] : [process.execPath, program],
  }
}
