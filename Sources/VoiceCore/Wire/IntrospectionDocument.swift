/// The introspection document of an object, with the standard interfaces.
///
/// `interface` is `nil` for a path that only has objects below it; `children` are the names directly
/// below.
package func introspectionDocument(interface: InterfaceDescription?, children: [String]) -> String {
  var text = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>

    """
  if let interface { text += "  \(interface.xml)\n" + propertiesInterface }
  text += everywhere
  for child in children { text += "  <node name=\"\(child)\"/>\n" }
  return text + "</node>\n"
}

/// What every path has.
private let everywhere = """
    <interface name="org.freedesktop.DBus.Introspectable">
      <method name="Introspect"><arg name="xml_data" type="s" direction="out"/></method>
    </interface>
    <interface name="org.freedesktop.DBus.Peer">
      <method name="Ping"/>
      <method name="GetMachineId"><arg name="machine_uuid" type="s" direction="out"/></method>
    </interface>

  """

/// What every object has.
private let propertiesInterface = """
    <interface name="org.freedesktop.DBus.Properties">
      <method name="Get">
        <arg name="interface_name" type="s" direction="in"/>
        <arg name="property_name" type="s" direction="in"/>
        <arg name="value" type="v" direction="out"/>
      </method>
      <method name="GetAll">
        <arg name="interface_name" type="s" direction="in"/>
        <arg name="properties" type="a{sv}" direction="out"/>
      </method>
      <method name="Set">
        <arg name="interface_name" type="s" direction="in"/>
        <arg name="property_name" type="s" direction="in"/>
        <arg name="value" type="v" direction="in"/>
      </method>
      <signal name="PropertiesChanged">
        <arg name="interface_name" type="s"/>
        <arg name="changed_properties" type="a{sv}"/>
        <arg name="invalidated_properties" type="as"/>
      </signal>
    </interface>

  """
