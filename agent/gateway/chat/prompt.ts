import type { Note } from '../workspace/memory.ts'
import type { Skill } from '../workspace/skills.ts'
import type { Message } from './messages.ts'

/** The limit of each source in a prompt, in characters. */
const promptLimits = { memory: 16_000, skillList: 4_000, skillText: 24_000 }

interface Sources {
  systemPrompt: string | undefined
  notes: readonly Note[]
  skills: readonly Skill[]
  /** Instructions for the gateway's own tools. */
  tools: string | undefined
}

/** Returns the system message of a session: the agent's instructions, its memory and its enabled skills. */
export function systemMessage({ systemPrompt, notes, skills, tools }: Sources): Message[] {
  const enabled = skills.filter((skill) => skill.enabled)
  const remembered = notes.map(({ key, text }) => `### ${key}\n${text}`)
  const listed = enabled.map(({ name, description }) => `- ${name}: ${description}`)
  const described = enabled.map(({ name, text }) => `### ${name}\n${text}`)
  const sections = [
    systemPrompt ?? '',
    section('## Memory', take(remembered, promptLimits.memory)),
    section('## Skills', take(listed, promptLimits.skillList)),
    section('## How the skills work', take(described, promptLimits.skillText)),
    tools ?? '',
  ]
  const content = sections.filter((text) => text !== '').join('\n\n')
  return content === '' ? [] : [{ role: 'system', content }]
}

function section(title: string, texts: readonly string[]): string {
  return texts.length === 0 ? '' : `${title}\n${texts.join('\n')}`
}

/** Returns the first texts up to the limit. The text that exceeds it is cut and is the last one. */
function take(texts: readonly string[], limit: number): string[] {
  const parts: string[] = []
  let remaining = limit
  for (const text of texts) {
    if (remaining <= 0) break
    parts.push(text.length <= remaining ? text : `${text.slice(0, remaining)} […]`)
    remaining -= text.length
  }
  return parts
}
