import { join } from 'node:path'
import {
  type Environment,
  readSettings,
  type Settings,
  SettingsError,
  withoutBlanks,
} from '../../gateway/settings.ts'

/** What the process before OpenClaw is told at its start. */
export interface FrontSettings extends Settings {
  /** OpenClaw's own files: configuration, conversations, locks. */
  stateDir: string
  /** How OpenClaw is run, argument by argument. */
  command: readonly string[]
}

/**
 * Reads the environment table of agent/README.md as the image has it: AGENT_DATA_DIR holds both the workspace and
 * OpenClaw's own state, and OPENCLAW_PROGRAM names its main file where the command `openclaw` is not installed.
 * @throws SettingsError naming each missing or malformed variable
 */
export function readFrontSettings(environment: Environment): FrontSettings {
  const { AGENT_DATA_DIR: dataDir, OPENCLAW_PROGRAM: program } = withoutBlanks(environment)
  if (dataDir === undefined) throw new SettingsError('AGENT_DATA_DIR is required')
  return {
    ...readSettings({ ...environment, WORKSPACE_DIR: join(dataDir, 'workspace') }),
    stateDir: join(dataDir, 'openclaw'),
    command: program === undefined ? ['openclaw'] : [process.execPath, program],
  }
}
