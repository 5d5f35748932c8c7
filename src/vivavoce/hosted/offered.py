"""What the hosted service can do, by the names of operations. Cheap to import: a start looks here."""

OFFERED = frozenset(
    (
        *("create_agent", "update_agent", "delete_agent", "list_agents", "get_agent", "agent_query"),
        "enable_disable_agent_integration",
        *("addHttpTool", "addDatastoreTool", "addDelayedResponsesTool", "addRequestHumanTool"),
        *("addMarkAsResolvedTool", "addFollowUpMessagesTool", "add_agent_tool", "list_agent_tools"),
        *("get_agent_tool", "update_agent_tool", "remove_agent_tool"),
        *("list_blacklist", "list_agent_blacklist", "add_to_blacklist", "remove_from_blacklist"),
        *("list_agent_whitelist", "add_to_whitelist", "replace_in_whitelist", "remove_from_whitelist"),
        *("create_crm_scenario", "update_crm_scenario", "delete_crm_scenario", "list_crm_scenarios"),
        *("create_crm_step", "update_crm_step", "delete_crm_step", "list_crm_steps"),
        *("add_conversation_to_scenario", "move_conversation", "remove_conversation_from_scenario"),
        "list_scenario_conversations",
        *("list_conversation_logs", "create_conversation_log", "get_conversation_log"),
        *("update_conversation_log", "delete_conversation_log"),
        *("create_datastore", "update_datastore", "delete_datastore", "get_datastore", "query_datastore"),
        *("list_datastores", "page_datastores", "create_datasource", "list_datasources", "get_datasource"),
        *("synch_datasource", "delete_datasource"),
        *("list_conversations", "get_conversation", "delete_conversation", "set_ai_enabled"),
        *("set_conversation_status", "set_conversation_priority", "assign_conversation"),
        "unassign_conversation",
        *("list_messages", "get_message", "send_message", "register_message"),
        *("list_notes", "create_note", "update_note", "delete_note"),
        *("set_variable", "list_variables", "get_variable", "delete_variable"),
        *("list_contacts", "get_contact", "save_contact", "delete_contact"),
        *("list_contact_variables", "set_contact_variable", "delete_contact_variables"),
        "getDocumentation",
    )
)
"""Operations that the published descriptions of the hosted API have in a shape that is known.

Of get_contact only the route is published. What it answers is read as the contact that POST /contacts
answers with; who confirms a deletion is shown it. Follow-ups have routes at another host, whose answers are
not known.
"""
