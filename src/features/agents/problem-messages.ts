/** What is wrong with a definition, by the code of the problem. */
const en = {
  file_missing: 'The definition file is missing.',
  frontmatter_missing: 'The file has no frontmatter.',
  frontmatter_too_large: 'The frontmatter is too large.',
  yaml_invalid: 'The frontmatter isn’t valid YAML.',
  frontmatter_invalid: 'A value isn’t valid.',
  key_unknown: 'Unknown key.',
  slug_differs: 'The slug doesn’t match the folder.',
  slug_taken: 'This slug is already in use or was used before. Choose another one.',
  body_empty: 'The file has no instructions.',
  too_long: 'The definition is too long.',
  model_unavailable: 'The language model isn’t configured here.',
  model_unserved: 'No Worker Node that could answer for this model is registered.',
  no_output_tool: 'None of the tools can propose a change.',
  tool_not_configured: 'A tool isn’t configured here.',
  schedule_invalid: 'The schedule isn’t valid.',
  version_not_raised: 'Raise the version with each edit.',
}
const uk: typeof en = {
  file_missing: 'Файлу визначення немає.',
  frontmatter_missing: 'У файлі немає frontmatter.',
  frontmatter_too_large: 'Frontmatter завеликий.',
  yaml_invalid: 'Frontmatter не є коректним YAML.',
  frontmatter_invalid: 'Неправильне значення.',
  key_unknown: 'Невідомий ключ.',
  slug_differs: 'Ідентифікатор не відповідає теці.',
  slug_taken: 'Цей ідентифікатор уже використовується або використовувався. Виберіть інший.',
  body_empty: 'У файлі немає інструкцій.',
  too_long: 'Визначення задовге.',
  model_unavailable: 'Мовну модель тут не налаштовано.',
  model_unserved: 'Не зареєстровано жодного робочого вузла, який міг би відповідати за цю модель.',
  no_output_tool: 'Жоден з інструментів не може пропонувати зміни.',
  tool_not_configured: 'Інструмент тут не налаштовано.',
  schedule_invalid: 'Розклад неправильний.',
  version_not_raised: 'Підвищуйте версію з кожною правкою.',
}

export const problemMessages = { en, uk }
